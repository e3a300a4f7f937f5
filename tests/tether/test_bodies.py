"""Bodies at the ends: pendulums with closed forms, free rotation, loads, and landing on their radius."""

import math

import numpy as np
import pytest
from tether_scenes import book, leaning_line, make_spec, mean_period, run

import tetherlab as tl
from analytical import GRAVITY, line_and_body_mode, pendulum_period

LIGHT = {"linear_density": 1e-5, "axial_stiffness": 1e5, "axial_damping": 50.0}
ASYMMETRIC = {"mass": 1.0, "inertia": (0.02, 0.03, 0.045)}


def angular_momentum(body, inertia):
    """About the centre of mass, from the public state, (3,)."""
    w, x, y, z = body["rotation_wxyz"]
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return R @ np.diag(inertia) @ R.T @ body["angular_velocity"]


@pytest.mark.parametrize("amplitude", [0.1, 1.0])
@pytest.mark.parametrize("gravity", [GRAVITY, 3.71])
def test_a_weight_swings_with_the_period_of_the_pendulum(amplitude, gravity):
    tether = leaning_line(
        amplitude, 1.0, spec=make_spec(**LIGHT), world=tl.World(gravity=gravity), end_body=tl.PointMass(1.0)
    )
    times, places = [], []
    for _ in range(1000):
        tether.step(0.01)
        times.append(tether.time)
        places.append(tether.nodes[-1, 0])
    exact = pendulum_period(1.0, amplitude, gravity)
    # Midpoint rule: relative error (omega h)^2 / 24 = 1e-5; the line stretches by 1e-4.
    assert mean_period(times, places) == pytest.approx(exact, rel=3e-4)


def test_a_body_on_a_line_swings_in_the_mode_of_the_double_pendulum():
    mass, moment, arm, length = 1.0, 0.03, 0.2, 0.8
    omega, ratio = line_and_body_mode(length, mass, moment, arm)
    a = 0.01
    b = ratio * a
    tether = leaning_line(
        a, length, spec=make_spec(**LIGHT),
        end_body=tl.RigidBody(
            mass=mass, inertia=(0.02, moment, 0.045), attachment=(0.0, 0.0, arm),
            rotation_wxyz=(math.cos(0.5 * b), 0.0, -math.sin(0.5 * b), 0.0),
        ),
    )  # fmt: skip
    times, lines, bodies = [], [], []
    for _ in range(1000):
        tether.step(0.01)
        times.append(tether.time)
        lines.append(tether.nodes[-1, 0])
        bodies.append(tether.end_body["position"][0])
    assert mean_period(times, bodies) == pytest.approx(2.0 * math.pi / omega, rel=5e-4)
    # In a pure mode the attachment and the centre of mass keep their ratio.
    wanted = (length * a + arm * b) / (length * a)
    assert np.polyfit(lines, bodies, 1)[0] == pytest.approx(wanted, rel=5e-3)


@pytest.mark.parametrize(("dt", "tolerance"), [(0.005, 2e-5), (0.05, 1e-3)])
def test_a_free_asymmetric_body_keeps_energy_and_angular_momentum_for_1000_steps(dt, tolerance):
    tether = tl.Tether(
        make_spec(linear_density=1e-6), base=(0, 0, 0), end=(0.1, 0, 0), length=0.1, element_length=0.05,
        world=tl.World(gravity=0.0), step_max=dt,
        end_body=tl.RigidBody(**ASYMMETRIC, angular_velocity=(0.1, 5.0, 0.2)),
    )  # fmt: skip
    tether.release("base")
    start, energy = angular_momentum(tether.end_body, ASYMMETRIC["inertia"]), tether.energy.kinetic
    lowest = np.inf
    for _ in range(1000):
        tether.step(dt)
        _, x, _, z = tether.end_body["rotation_wxyz"]
        lowest = min(lowest, 1.0 - 2.0 * (x * x + z * z))
    assert lowest < -0.5, "its middle axis should have turned over"
    assert np.allclose(angular_momentum(tether.end_body, ASYMMETRIC["inertia"]), start, rtol=0, atol=1e-9)
    # The kernels conserve it; Newton stops before.
    assert tether.energy.kinetic == pytest.approx(energy, rel=tolerance)


def test_a_rigid_body_tied_at_its_centre_moves_like_a_point_mass():
    point = leaning_line(0.8, end_body=tl.PointMass(0.7))
    rigid = leaning_line(0.8, end_body=tl.RigidBody(mass=0.7, inertia=(1e-3, 2e-3, 2.5e-3)))
    for k in range(100):
        push = (math.sin(0.05 * k), 0.3, 0.0)
        a = point.step(0.01, end_force=push)
        b = rigid.step(0.01, end_force=push)
        assert np.allclose(a.on_end, b.on_end, rtol=0, atol=5e-3)
    assert np.allclose(point.nodes, rigid.nodes, rtol=0, atol=1e-4)
    assert np.allclose(rigid.end_body["angular_velocity"], 0.0, atol=1e-9)


@pytest.mark.parametrize("body", [tl.PointMass(0.7), tl.RigidBody(**ASYMMETRIC, attachment=(0.1, 0.05, 0.2))])
def test_a_body_at_the_base_behaves_like_the_same_body_at_the_end(body):
    up = tl.Tether(make_spec(), base=(0, 0, 0), end=(1.5, 0, -1), length=2.0, end_body=body)
    down = tl.Tether(make_spec(), base=(1.5, 0, -1), end=(0, 0, 0), length=2.0, base_body=body)
    for _ in range(100):
        a = up.step(0.01, end_force=(1.0, 2.0, 3.0))
        b = down.step(0.01, base_force=(1.0, 2.0, 3.0))
    assert np.allclose(up.nodes, down.nodes[::-1], rtol=0, atol=1e-8)
    assert np.allclose(a.on_end, b.on_base, rtol=0, atol=1e-5)


def test_force_and_torque_accelerate_a_body_by_newton_and_euler():
    tether = tl.Tether(
        make_spec(linear_density=1e-6), base=(0, 0, 0), end=(0.1, 0, 0), length=0.1, element_length=0.05,
        end_body=tl.RigidBody(mass=2.0, inertia=(0.02, 0.03, 0.045)),
    )  # fmt: skip
    tether.release("base")
    for _ in range(50):
        tether.step(0.01, end_force=(1.0, -2.0, 2.0 * GRAVITY), end_torque=(0.0, 0.0, 0.09))
    body = tether.end_body
    assert np.allclose(body["velocity"], (0.25, -0.5, 0.0), rtol=0, atol=1e-5)
    assert np.allclose(body["angular_velocity"], (0.0, 0.0, 1.0), rtol=0, atol=1e-6)
    angle = 2.0 * math.acos(body["rotation_wxyz"][0])
    assert angle == pytest.approx(0.25, abs=1e-4)


def test_a_force_holds_only_for_its_call():
    tether = leaning_line(0.0, 1.0, world=tl.World(gravity=0.0), end_body=tl.PointMass(1.0))
    tether.release("base")
    tether.step(0.01, end_force=(0.0, 5.0, 0.0))
    before = tether.velocities[-1, 1]
    tether.step(0.01)
    assert before == pytest.approx(0.05, rel=0.1)
    assert tether.velocities[-1, 1] < 1.02 * before


@pytest.mark.parametrize("body", [tl.PointMass(2.0), tl.RigidBody(**ASYMMETRIC, attachment=(0.0, 0.0, 0.1))])
def test_the_force_on_a_body_is_what_its_motion_needs(body):
    tether = leaning_line(0.9, 2.0, end_body=body)
    for _ in range(60):
        before = tether.end_body["velocity"]
        forces = tether.step(0.01, end_force=(0.5, 1.0, 0.0))
        after = tether.end_body["velocity"]
        push = np.array((0.5, 1.0, -body.mass * GRAVITY))
        assert np.allclose(body.mass * (after - before) / 0.01, forces.on_end + push, rtol=0, atol=2e-3 * 20)


def test_the_state_of_a_point_mass_is_that_of_its_end():
    tether = leaning_line(0.9, 2.0, end_body=tl.PointMass(0.3))
    run(tether, 0.1)
    assert tether.base_body is None
    assert sorted(tether.end_body) == ["position", "velocity"]
    assert np.array_equal(tether.end_body["position"], tether.nodes[-1])
    assert np.array_equal(tether.end_body["velocity"], tether.velocities[-1])
    tether.release("end")
    assert tether.end_body is None


def test_two_bodies_on_a_tether_fall_with_the_centre_of_mass_of_all():
    bodies = tl.PointMass(0.5), tl.RigidBody(**ASYMMETRIC, attachment=(0.1, 0.05, 0.2))
    tether = tl.Tether(
        make_spec(), base=(0, 0, 0), end=(1.5, 0, 0.5), length=2.0, base_body=bodies[0], end_body=bodies[1]
    )

    def centre():
        x = tether.nodes
        masses = np.full(len(x), 0.05 * 2.0 / (len(x) - 1))
        masses[[0, -1]] *= 0.5
        masses[0] += 0.5
        return (masses @ x + tether.end_body["position"]) / 1.6

    start = centre()
    run(tether, 1.0)
    assert np.allclose(centre() - start, (0.0, 0.0, -0.5 * GRAVITY), rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("bodies", "loads"),
    [
        pytest.param({"end_body": tl.PointMass(1.0)}, {"end_force": (1.0, 2.0, 0.0)}, id="point mass"),
        pytest.param(
            {"end_body": tl.RigidBody(**ASYMMETRIC, attachment=(0.1, 0.05, 0.2))},
            {"end_force": (1.0, 2.0, 0.0), "end_torque": (0.01, 0.0, 0.02)},
            id="rigid body",
        ),
        pytest.param(
            {"base_body": tl.RigidBody(**ASYMMETRIC), "end_body": tl.PointMass(0.2)}, {}, id="both ends"
        ),
        pytest.param({"end_body": tl.PointMass(0.01)}, {}, id="far lighter than the tether"),
        pytest.param({"end_body": tl.PointMass(50.0)}, {}, id="far heavier"),
    ],
)
def test_the_energy_book_closes_with_bodies(bodies, loads):
    tether = leaning_line(1.0, **bodies)
    start, worst, scale = book(tether), 0.0, 0.0
    for _ in range(300):
        tether.step(0.01, **loads)
        energy = tether.energy
        worst = max(worst, abs(book(tether) - start))
        scale = max(scale, energy.kinetic, abs(energy.dissipated), abs(energy.work))
    assert worst < 5e-4 * scale


def ball_on_the_ground(ball):
    """A ball laid on the ground beside the foot of a slack tether, after 2 s."""
    tether = tl.Tether(
        make_spec(axial_damping=50.0), base=(0, 0, 1), end=(0.5, 0, 0.1), length=1.2, end_body=ball,
        world=tl.World.ground(),
    )  # fmt: skip
    run(tether, 2.0)
    return tether


BALLS = [
    pytest.param(tl.PointMass(1.0, radius=0.1), id="point mass"),
    pytest.param(tl.RigidBody(mass=1.0, inertia=(0.004, 0.004, 0.004), radius=0.1), id="rigid body"),
]


@pytest.mark.parametrize("ball", BALLS)
def test_a_ball_rests_on_the_ground_at_its_radius(ball):
    tether = ball_on_the_ground(ball)
    touching = [c for c in tether.contacts if np.allclose(c.point, tether.nodes[-1])]
    assert tether.nodes[-1, 2] == pytest.approx(0.1, abs=2e-4)
    assert len(touching) == 1
    assert touching[0].object == "ground"
    assert GRAVITY * 0.9 < touching[0].force[2] < GRAVITY * 1.1


def test_a_point_mass_that_rests_does_not_creep():
    tether = ball_on_the_ground(tl.PointMass(1.0, radius=0.1))
    start = tether.nodes[-1]
    run(tether, 1.0)
    assert np.allclose(tether.nodes[-1], start, rtol=0, atol=1e-5)
    assert np.allclose(tether.velocities[-1], 0.0, atol=1e-4)


@pytest.mark.parametrize("ball", BALLS)
def test_a_ball_that_falls_on_the_ground_only_loses_energy(ball):
    tether = tl.Tether(
        make_spec(), base=(0, 0, 2.0), end=(0, 0, 1), length=1.0, end_body=ball, world=tl.World.ground()
    )
    tether.release("base")
    start, highest = tether.energy.total, -np.inf
    for _ in range(150):
        tether.step(0.01)
        highest = max(highest, tether.energy.total)
        assert tether.nodes[-1, 2] > 0.08
    assert highest < start + 1e-3
    assert tether.energy.dissipated > 0.0
