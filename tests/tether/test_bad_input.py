"""Every mistake is answered with one sentence, before anything moves."""

# ruff: noqa: E501 (a message stands on one line, as users see it)

import math

import numpy as np
import pytest
from tether_scenes import make_spec

import tetherlab as tl

NAN = math.nan


def message(action):
    with pytest.raises(tl.InputError) as caught:
        action()
    return str(caught.value)


def build(**changes):
    options = {"base": (0, 0, 1), "end": (2, 0, 1), "length": 3.0, **changes}
    return tl.Tether(options.pop("spec", None) or make_spec(), **options)


def rigid(**changes):
    return tl.RigidBody(**{"mass": 1.0, "inertia": (1.0, 1.0, 1.0), **changes})


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"base": (0, 0)}, "base must have shape (3,), got (2,)"),
        ({"end": (0, NAN, 0)}, "end must be finite, got nan at end[1]"),
        ({"base": "here"}, "base must be an array of numbers of shape (3,), got 'here'"),
        ({"length": -3}, "length must be > 0, got -3"),
        ({"length": NAN}, "length must be finite, got nan"),
        ({"length": "3"}, "length must be a number, got '3'"),
        ({"length": 0.01}, "length must be at least 0.02 m, got 0.01"),
        ({"element_length": 0.0}, "element_length must be > 0, got 0"),
        ({"step_max": 0}, "step_max must be > 0, got 0"),
        ({"length": 1.5}, "length = 1.5 m is too short: the distance from base to end is 2 m long, a strain of 33.3 %; at most 20 % is taken as a start"),
        ({"length": 1.9, "spec": make_spec(strength=100.0)}, "length = 1.9 m is too short: the distance from base to end is 2 m long, which needs 526 N; the tether's strength is 100 N"),
        ({"shape": [(0, 0, 1)]}, "shape must have at least 2 points, got 1"),
        ({"shape": (0, 0, 1)}, "shape must have shape (n, 3), got (3,)"),
        ({"shape": [(0, 0, 1), (2, 0, 2)]}, "shape must run from base to end: its end is [2.0, 0.0, 2.0], not [2.0, 0.0, 1.0]"),
        ({"shape": [(1, 0, 1), (2, 0, 1)]}, "shape must run from base to end: its base is [1.0, 0.0, 1.0], not [0.0, 0.0, 1.0]"),
        ({"shape": [(0, 0, 1), (2, 0, 1)]}, "shape is 2 m long and length is 3 m: a tether cannot start compressed; give a longer shape, or pay out the rest by reel_speed"),
        ({"base": (2, 0, 1), "shape": [(2, 0, 1), (2, 0, 1)]}, "shape must have a length > 0; all its points coincide"),
        ({"world": tl.World(gravity=0.0)}, "a slack tether without gravity has no shape at rest: give `shape`"),
        ({"world": tl.World.ground(1.5)}, "base = [0.0, 0.0, 1.0] lies 0.5 m inside an obstacle; move it out"),
        ({"world": tl.World([tl.shapes.Sphere(center=(2, 0, 1), radius=0.2)])}, "end = [2.0, 0.0, 1.0] lies 0.2 m inside an obstacle; move it out"),
        ({"world": tl.World.ground(), "end": (2, 0, 0.01), "end_body": tl.PointMass(1.0, radius=0.3)}, "end_body with its centre at [2.0, 0.0, 0.01] would start 0.29 m inside an obstacle; the centre must be at least its radius, 0.3 m, away from all of them"),
        ({"world": tl.World.ground(), "base": (0, 0, 0.1), "base_body": rigid(radius=0.3, attachment=(0, 0, 0.1))}, "base_body with its centre at [0.0, 0.0, 0.0] would start 0.3 m inside an obstacle; the centre must be at least its radius, 0.3 m, away from all of them"),
        ({"spec": {"diameter": 0.01}}, "spec must be a tl.TetherSpec, got {'diameter': 0.01}"),
        ({"world": [3]}, "world must be a tl.World, got [3]"),
        ({"wind": (5, 0, 0)}, "wind must be a tl.Wind, got (5, 0, 0)"),
        ({"element_length": 1e-5}, "length = 3 m by element_length = 1e-05 m would make 300000 elements; at most 20000 are simulated: choose a longer element_length"),
        ({"step_max": 10}, "step_max must be at most 0.1 s, got 10: longer internal steps cannot follow a tether that swings; dt may be longer"),
        ({"lenght": 3.0}, "Tether has no argument 'lenght'. Did you mean 'length'? Known: base, base_body, element_length, end, end_body, length, name, shape, spec, step_max, wind, world."),
        ({"end_body": 3.0}, "end_body must be a PointMass or a RigidBody, got 3.0"),
        ({"base_body": "drone"}, "base_body must be a PointMass or a RigidBody, got 'drone'"),
    ],
)  # fmt: skip
def test_a_tether_that_cannot_be_is_refused(changes, text):
    assert message(lambda: build(**changes)) == text


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"linear_density": 0}, "TetherSpec.linear_density must be > 0, got 0"),
        ({"diameter": -0.01}, "TetherSpec.diameter must be > 0, got -0.01"),
        ({"axial_stiffness": math.inf}, "TetherSpec.axial_stiffness must be finite, got inf"),
        ({"axial_damping": -1}, "TetherSpec.axial_damping must be >= 0, got -1"),
        ({"bending_stiffness": NAN}, "TetherSpec.bending_stiffness must be finite, got nan"),
        ({"strength": 0.0}, "TetherSpec.strength must be > 0, got 0"),
        ({"friction": 6.0}, "TetherSpec.friction must be at most 5, got 6"),
        ({"drag_coefficient": "1"}, "TetherSpec.drag_coefficient must be a number, got '1'"),
        (
            {"linear_densty": 0.1},
            "TetherSpec has no field 'linear_densty'. Did you mean 'linear_density'? Known: axial_damping, axial_stiffness, bending_damping, bending_stiffness, diameter, drag_coefficient, drag_coefficient_tangential, friction, linear_density, strength.",
        ),
    ],
)
def test_a_material_that_cannot_be_is_refused(changes, text):
    assert message(lambda: make_spec(**changes)) == text


def test_what_a_material_needs_is_named():
    assert message(lambda: tl.TetherSpec(linear_density=0.1)) == "TetherSpec needs diameter"
    text = "TetherSpec: too many positional arguments; give them by name"
    assert message(lambda: tl.TetherSpec(0.1, 0.01)) == text


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (lambda: tl.PointMass(0.0), "PointMass.mass must be > 0, got 0"),
        (lambda: tl.PointMass(masss=1.0), "PointMass has no field 'masss'. Did you mean 'mass'? Known: mass, radius."),
        (lambda: rigid(attachement=(0, 0, 1)), "RigidBody has no field 'attachement'. Did you mean 'attachment'? Known: angular_velocity, attachment, feet, friction, inertia, mass, radius, rotation_wxyz."),
        (lambda: tl.RigidBody(mass=1.0), "RigidBody needs inertia"),
        (lambda: tl.PointMass(1.0, radius=-1), "PointMass.radius must be >= 0, got -1"),
        (lambda: rigid(mass=NAN), "RigidBody.mass must be finite, got nan"),
        (lambda: rigid(inertia=(1, 1)), "RigidBody.inertia must have shape (3,), got (2,)"),
        (lambda: rigid(inertia=np.ones((3, 2))), "RigidBody.inertia must have shape (3, 3), got (3, 2)"),
        (lambda: rigid(inertia=(1, 1, -1)), "RigidBody.inertia must be symmetric with positive principal moments"),
        (lambda: rigid(inertia=[(1, 0.2, 0), (0, 1, 0), (0, 0, 1)]), "RigidBody.inertia must be symmetric with positive principal moments"),
        (lambda: rigid(inertia=(1, 2, 4)), "RigidBody.inertia has the moments 1, 2, 4 kg m^2; no body can have one larger than the sum of the other two"),
        (lambda: rigid(attachment=(1, 2)), "RigidBody.attachment must have shape (3,), got (2,)"),
        (lambda: rigid(rotation_wxyz=(1, 1, 0, 0)), "RigidBody.rotation_wxyz must have norm 1, got 1.41421"),
        (lambda: rigid(angular_velocity=(0, 0, NAN)), "RigidBody.angular_velocity must be finite, got nan at RigidBody.angular_velocity[2]"),
    ],
)  # fmt: skip
def test_a_body_that_cannot_be_is_refused(action, text):
    assert message(action) == text


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ({"dt": 0.0}, "dt must be > 0, got 0"),
        ({"dt": -0.01}, "dt must be > 0, got -0.01"),
        ({"dt": NAN}, "dt must be finite, got nan"),
        ({"dt": math.inf}, "dt must be finite, got inf"),
        ({"dt": "0.1"}, "dt must be a number, got '0.1'"),
        ({"dt": None}, "dt must be a number, got None"),
        ({"dt": True}, "dt must be a number, got True"),
        ({"dt": np.array([0.1, 0.2])}, "dt must be a number, got array([0.1, 0.2])"),
        ({"reelspeed": 1.0}, "Tether.step has no argument 'reelspeed'. Did you mean 'reel_speed'? Known: base, base_force, base_torque, base_velocity, dt, end, end_force, end_torque, end_velocity, reel_speed."),
        ({"reel_speed": 1e9}, "reel_speed = 1e+09 m/s for 0.01 s would make 100000038 elements; at most 20000 are simulated: choose a longer element_length"),
        ({"end_torque": (0, 0, 1)}, "end is prescribed, so end_torque has nothing to move: give end_body or release('end')"),
        ({"end": (1, 2)}, "end must have shape (3,), got (2,)"),
        ({"base": (1, 2, NAN)}, "base must be finite, got nan at base[2]"),
        ({"end_velocity": (1, math.inf, 0)}, "end_velocity must be finite, got inf at end_velocity[1]"),
        ({"base_velocity": 3.0}, "base_velocity must have shape (3,), got ()"),
        ({"end_force": (0, 0, 1)}, "end is prescribed, so end_force has nothing to move: give end_body or release('end')"),
        ({"base_force": (0, 0, 1)}, "base is prescribed, so base_force has nothing to move: give base_body or release('base')"),
        ({"reel_speed": NAN}, "reel_speed must be finite, got nan"),
        ({"reel_speed": "fast"}, "reel_speed must be a number, got 'fast'"),
        ({"reel_speed": -400.0}, "reel_speed = -400 m/s for 0.01 s would leave -1 m of tether; at least 0.02 m stay out"),
    ],
)  # fmt: skip
def test_a_command_that_cannot_be_is_refused_and_nothing_moves(command, text):
    tether = build()
    tether.step(0.01, end=(2.001, 0, 1))
    nodes, energy, time = tether.nodes, tether.energy, tether.time
    assert message(lambda: tether.step(**{"dt": 0.01, **command})) == text
    assert np.array_equal(tether.nodes, nodes)
    assert tether.energy == energy
    assert tether.time == time


@pytest.mark.parametrize(
    ("body", "command", "text"),
    [
        (tl.PointMass(1.0), {"end": (2, 0, 1)}, "end is not prescribed: move it by end_force, or attach('end') it first"),
        (tl.PointMass(1.0), {"end_velocity": (2, 0, 1)}, "end is not prescribed: move it by end_force, or attach('end') it first"),
        (tl.PointMass(1.0), {"end_torque": (0, 0, 1)}, "end_torque needs a RigidBody at the end"),
        (tl.PointMass(1.0), {"end_force": (0, 0)}, "end_force must have shape (3,), got (2,)"),
        (rigid(), {"end_torque": (0, NAN, 1)}, "end_torque must be finite, got nan at end_torque[1]"),
    ],
)  # fmt: skip
def test_a_body_is_moved_by_forces_alone(body, command, text):
    tether = build(end_body=body)
    assert message(lambda: tether.step(0.01, **command)) == text


def test_an_end_is_called_base_or_end():
    tether = build()
    assert message(lambda: tether.release("tip")) == "which must be 'base' or 'end', got 'tip'"
    assert message(lambda: tether.attach(1)) == "which must be 'base' or 'end', got 1"


def test_a_wrong_body_leaves_the_end_as_it_was():
    tether = build()
    tether.step(0.01)
    assert message(lambda: tether.attach("end", 5)) == "body must be a PointMass or a RigidBody, got 5"
    tether.step(0.01, end=(2.001, 0, 1))
    assert tether.nodes[-1, 0] == pytest.approx(2.001)


def test_a_body_without_room_is_not_attached():
    tether = build(world=tl.World.ground(), end=(2, 0, 0.2))
    text = message(lambda: tether.attach("end", tl.PointMass(1.0, radius=0.3)))
    assert text.startswith("body with its centre at [2.0, 0.0, 0.2] would start 0.1 m inside an obstacle;")
    tether.step(0.01, end=(2.001, 0, 0.2))
    tether.attach("end", tl.PointMass(1.0, radius=0.2))
    tether.step(0.01, end_force=(0, 0, 20.0))


def test_a_tether_goes_on_after_a_step_that_could_not_be():
    tether = build()
    with pytest.raises(tl.SimulationError):
        tether.step(0.01, end=(1e300, 0, 1))
    before = tether.time
    tether.step(0.01, end=(2, 0, 1))
    assert tether.time == pytest.approx(before + 0.01)


def test_an_unknown_obstacle_is_answered_with_a_guess():
    tether = build(world=tl.World.ground())
    text = "the world has no object 'grund'. Did you mean 'ground'? Known: ground."
    assert message(lambda: tether.reaction_on("grund")) == text
