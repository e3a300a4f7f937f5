"""The run of a scene ends when something goes wrong, with a sentence that names the objects and the cause."""

import time

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.outcome import Outcome
from tetherlab.plant.graph_build import open_tether

CORD = tl.TetherSpec(linear_density=0.02, diameter=0.004, axial_stiffness=5e3, axial_damping=20.0)


def ground(*shapes, **options):
    return tl.World([tl.shapes.Plane(name="ground"), *shapes], **options)


def box(name, lower, upper):
    return tl.shapes.Box(lower=lower, upper=upper, name=name)


def drone_in(world, **where):
    scene = Scene(world)
    drone = scene.add_robot("x500", name="falcon", **({"position": (0.0, 0.0, 2.0)} | where))
    return scene, drone


def team(world=None, **options):
    scene = Scene(world or ground())
    ugv = scene.add_robot("paper_ugv", name="mule", position=(0.0, 0.0, 0.0))
    uav = scene.add_robot("x500", name="falcon", on=ugv.site("deck"))
    given = {"length": 18.0, "paid_out": 0.7} | options
    scene.add_tether("paper", name="main", start=ugv.site("winch"), end=uav.site("hook"), **given)
    return scene


def test_a_drone_that_flies_into_a_wall_ends_the_run_and_the_record_there():
    scene, _ = drone_in(ground(box("wall", (2.0, -2.0, 0.0), (2.5, 2.0, 4.0))))
    sim = SceneSimulation(scene)
    sim.command("falcon", position=(5.0, 0.0, 2.0))
    sim.run(until=20.0)
    assert sim.outcome is Outcome.COLLISION
    assert sim.time < 10.0 and sim["falcon"].position[0] > 1.0
    for word in ("'falcon'", "the obstacle 'wall'", "on its straight way to [5.0, 0.0, 2.0]"):
        assert word in sim.outcome_sentence
    log = sim.log
    assert (log.outcome, log.outcome_sentence) == (sim.outcome, sim.outcome_sentence)
    assert log["falcon"]["time_s"][-1] == sim.time
    assert log.events[-1].kind == "outcome"
    assert sim.step() is False and sim.log.duration == log.duration
    with pytest.raises(InputError, match="the run has ended"):
        sim.command("falcon", hold=True)
    sim.reset()
    assert sim.outcome is None and sim.outcome_sentence == ""
    assert sim.step() is True


def test_step_by_step_a_run_ends_at_the_same_moment():
    ends = []
    for whole in (True, False):
        scene, _ = drone_in(ground(box("wall", (1.5, -2.0, 0.0), (2.5, 2.0, 4.0))))
        sim = SceneSimulation(scene)
        sim.command("falcon", velocity=(1.0, 0.0, 0.0))
        if whole:
            sim.run(until=20.0)
        while not whole and sim.step():
            pass
        ends.append((sim.time, sim.outcome_sentence))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("shapes", [(), (tl.shapes.Sphere(center=(0.0, 0.0, 0.0), radius=0.15),)])
def test_a_drone_hits_a_body_with_shapes_and_one_with_spheres_alone(shapes):
    scene, _ = drone_in(ground())
    radius = 0.0 if shapes else 0.15
    ball = tl.RigidBody(mass=1.0, inertia=(1e-2,) * 3, radius=radius)
    hand = scene.add_hand(name="roof", position=(1.5, 0.0, 4.0))
    body = scene.add_body(ball, name="ball", position=(1.5, 0.0, 2.0), shapes=shapes)
    scene.add_tether(CORD, name="cord", start=hand.site(), end=body.site(), length=2.01)
    sim = SceneSimulation(scene)
    sim.command("falcon", velocity=(1.0, 0.0, 0.0))
    sim.run(until=10.0)
    assert sim.outcome is Outcome.COLLISION
    assert "'falcon'" in sim.outcome_sentence and "inside 'ball'" in sim.outcome_sentence


def test_two_drones_collide_and_a_joined_arm_does_not_count():
    scene, drone = drone_in(ground())
    scene.add_robot("x500", name="heron", position=(2.0, 0.0, 2.0))
    arm = scene.add_body(
        tl.RigidBody(mass=0.1, inertia=(1e-4,) * 3, radius=0.03), name="arm", position=(0.0, 0.0, 1.95)
    )
    scene.add_joint("fixed", name="grip", parent=drone.site((0.0, 0.0, -0.05)), child=arm.site())
    sim = SceneSimulation(scene)
    sim.run(until=1.0)
    assert sim.outcome is None
    sim.command("heron", velocity=(-1.0, 0.0, 0.0))
    sim.run(until=10.0)
    assert sim.outcome is Outcome.COLLISION
    assert "'falcon'" in sim.outcome_sentence and "'heron'" in sim.outcome_sentence


def test_a_rover_that_drives_into_a_wall_collides_and_standing_on_its_deck_does_not():
    sim = SceneSimulation(team(ground(box("wall", (1.5, -2.0, 0.0), (2.5, 2.0, 0.4)))))
    sim.run(until=1.0)
    assert sim.outcome is None
    sim.command("mule", position=(3.0, 0.0))
    sim.run(until=15.0)
    assert sim.outcome is Outcome.COLLISION
    assert "the hull of 'mule'" in sim.outcome_sentence and "'wall'" in sim.outcome_sentence


def test_a_drone_rides_on_its_rover_and_takes_off_where_that_has_gone():
    sim = SceneSimulation(team())
    sim.command("mule", position=(2.0, 0.0))
    sim.run(until=8.0)
    assert sim.outcome is None
    assert np.abs(sim["falcon"].position - sim["mule"].position - (0.2, 0.0, 0.57)).max() < 0.01
    sim.command("falcon", take_off=True)
    sim.run(until=16.0)
    assert np.abs(sim["falcon"].position - sim["mule"].position - (0.2, 0.0, 1.57)).max() < 0.03


def test_bodies_that_are_no_robots_touch_what_they_like_and_empty_kinds_are_fine():
    scene = Scene(ground())
    for k in range(3):
        ball = tl.RigidBody(mass=1.0, inertia=(1e-2,) * 3, radius=0.1)
        scene.add_body(ball, name=f"ball_{k}", position=(0.02 * k, 0.0, 0.3 + 0.25 * k))
    sim = SceneSimulation(scene)
    sim.run(until=2.0)
    assert sim.outcome is None
    assert sim["ball_0"].position[2] < 0.11  # it lies on the ground


@pytest.mark.parametrize("strength", [8.0, None])
def test_a_tether_breaks_where_it_has_a_strength(strength):
    given = {"linear_density": 0.02, "diameter": 0.004, "axial_stiffness": 5e3, "axial_damping": 20.0}
    spec = tl.TetherSpec(**given) if strength is None else tl.TetherSpec(**given, strength=strength)
    scene = Scene()
    hand = scene.add_hand(name="crane", position=(0.0, 0.0, 3.0))
    load = scene.add_body(tl.RigidBody(mass=0.5, inertia=(1e-3,) * 3), name="load", position=(0.0, 0.0, 2.5))
    scene.add_tether(spec, name="cord", start=hand.site(), end=load.site(), length=1.0)
    sim = SceneSimulation(scene)
    sim.run(until=2.0)
    if strength is None:
        assert sim.outcome is None
        return
    assert sim.outcome is Outcome.TETHER_OVERLOAD
    for word in ("'cord'", "'crane' and 'load'", "its strength is 8 N", "jerks"):
        assert word in sim.outcome_sentence
    assert sim.time == pytest.approx(np.sqrt(2.0 * 0.5 / 9.80665), abs=0.03)  # it falls half a metre first


@pytest.mark.parametrize("flies", [True, False])
def test_a_tether_held_into_a_rotor_ends_the_run_unless_the_rotors_stand_still(flies):
    scene = Scene(ground())
    table = scene.add_body(
        tl.RigidBody(mass=500.0, inertia=(50.0,) * 3, feet=[(x, y, -0.5, 0.05) for x, y in CORNERS]),
        name="table",
        position=(0.0, 0.0, 0.55),
        shapes=[box("top", (-0.6, -0.6, 0.3), (0.6, 0.6, 0.5))],
    )
    where = {"position": (0.0, 0.0, 3.0)} if flies else {"on": table.site((0.0, 0.0, 0.5))}
    drone = scene.add_robot("x500", name="falcon", **where)
    start, over = (np.add(drone.position, r) for r in ((1.0, 0.0, 0.5), (0.1, 0.1, 0.02)))
    hand = scene.add_hand(name="hand", position=start)
    scene.add_tether(CORD, name="leash", start=hand.site(), end=drone.site("hook"), length=1.5)
    sim = SceneSimulation(scene)
    for share in np.minimum(1.0, np.arange(1, 301) / 200):
        if sim.outcome is None:
            sim.command("hand", position=(1.0 - share) * start + share * over)
            sim.step()
    if not flies:
        assert sim.outcome is None
        return
    assert sim.outcome is Outcome.TANGLED
    assert "'leash' is within 8 mm of a rotor of 'falcon'; it is slack" in sim.outcome_sentence


CORNERS = [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)]


def circling(sim, mover, radius, turns, speed):
    """Send a robot round the origin."""
    angle = 0.0
    while angle < 2.0 * np.pi * turns and sim.outcome is None:
        angle += speed * sim.dt / radius
        c, s = np.cos(angle), np.sin(angle)
        sim.command(mover, position=(radius * c, radius * s, 1.5))
        sim.step()


def test_a_drone_that_flies_round_a_pole_winds_its_tether_round_it():
    pole = tl.shapes.Cylinder(start=(0.0, 0.0, 0.0), end=(0.0, 0.0, 4.0), radius=0.1, name="pole")
    scene = Scene(ground(pole))
    post = scene.add_hand(name="post", position=(1.5, 0.0, 1.5))
    drone = scene.add_robot("x500", name="falcon", position=(1.0, 0.05, 1.5))
    scene.add_tether(CORD, name="leash", start=post.site(), end=drone.site("hook"), length=4.5)
    sim = SceneSimulation(scene)
    circling(sim, "falcon", 1.0, 3.0, 0.5)
    assert sim.outcome is Outcome.TANGLED
    for word in ("1.5 turns of 'leash'", "the obstacle 'pole'", "'post' and 'falcon'"):
        assert word in sim.outcome_sentence


def test_a_tether_without_a_robot_is_wound_as_often_as_one_likes():
    pole = tl.shapes.Cylinder(start=(0.0, 0.0, 0.0), end=(0.0, 0.0, 4.0), radius=0.1, name="pole")
    scene = Scene(tl.World([pole]))
    post = scene.add_hand(name="post", position=(1.5, 0.0, 1.5))
    scene.add_hand(name="mover", position=(1.0, 0.05, 1.5))
    scene.add_tether(CORD, name="leash", start=post.site(), end=scene.parts["mover"].site(), length=4.5)
    sim = SceneSimulation(scene)
    circling(sim, "mover", 1.0, 3.4, 2.0)
    wrap = open_tether(sim.graph, 0).wrap
    assert wrap["angle"][wrap["active"] == 1].sum() > 1.5 * 2.0 * np.pi
    assert sim.outcome is None


def test_a_drone_sent_farther_than_its_tether_is_long():
    sim = SceneSimulation(team(length=3.0))
    sim.command("falcon", take_off=True)
    sim.run(until=3.0)
    sim.command("falcon", position=(6.0, 0.0, 2.0))
    sim.run(until=25.0)
    assert sim.outcome is Outcome.TETHER_TOO_SHORT
    for word in (
        "all 3.00 m of 'main'",
        "'mule' and 'falcon'",
        "'falcon' is sent farther, to [6.0, 0.0, 2.0]",
    ):
        assert word in sim.outcome_sentence


def test_a_load_may_hang_on_all_that_a_winch_has():
    scene = Scene()
    hand = scene.add_hand(name="crane", position=(0.0, 0.0, 3.0))
    load = scene.add_body(tl.RigidBody(mass=0.5, inertia=(1e-3,) * 3), name="load", position=(0.0, 0.0, 1.0))
    scene.add_tether(
        CORD, name="cord", start=hand.site(), end=load.site(), length=2.0, paid_out=2.0, winch="paper"
    )
    sim = SceneSimulation(scene, controllers={"cord": None})
    sim.command("cord", speed=0.0)
    sim.run(until=3.0)
    assert sim.outcome is None
    sim.command("cord", speed=0.2)
    sim.run(until=6.0)
    assert sim.outcome is Outcome.TETHER_TOO_SHORT
    assert "its winch was asked for more" in sim.outcome_sentence


def test_what_goes_beyond_all_bounds_diverged():
    scene = Scene(tl.World())
    scene.add_body(
        tl.RigidBody(mass=1.0, inertia=(1e-2,) * 3), name="probe", position=(0, 0, 0), velocity=(3e7, 0, 0)
    )
    sim = SceneSimulation(scene)
    sim.run(until=1.0)
    assert sim.outcome is Outcome.DIVERGED
    assert "'probe' is beyond 1000 km" in sim.outcome_sentence


def test_a_state_brings_its_outcome_back():
    scene, _ = drone_in(ground(box("wall", (1.5, -2.0, 0.0), (2.5, 2.0, 4.0))))
    sim = SceneSimulation(scene)
    sim.command("falcon", velocity=(1.0, 0.0, 0.0))
    before = sim.get_state()
    sim.run(until=10.0)
    after, sentence = sim.get_state(), sim.outcome_sentence
    sim.set_state(before)
    assert sim.outcome is None and sim.step()
    sim.set_state(after)
    assert sim.outcome is Outcome.COLLISION and sim.outcome_sentence == sentence and not sim.step()


def gusty(seed):
    wind = tl.Wind.uniform((2.0, 1.0, 0.0)).with_gusts(0.8, 10.0, 3)
    sim = SceneSimulation(team(ground(wind=wind)), seed=seed)
    sim.command("falcon", take_off=True)
    return sim


def test_a_reset_to_another_seed_is_that_seeds_run_and_takes_no_time():
    one, two = gusty(1), gusty(2)
    for sim in (one, two):
        sim.run(until=2.0)
    first, second = one["falcon"].position, two["falcon"].position
    assert np.abs(first - second).max() > 1e-4  # the gusts matter
    spent = []
    for seed in (2, 1, 2):
        begun = time.process_time()
        one.reset(seed=seed)
        one.step()
        spent.append(time.process_time() - begun)
        one.reset(seed=seed)
        one.command("falcon", take_off=True)
        one.run(until=2.0)
        assert np.array_equal(one["falcon"].position, first if seed == 1 else second)
    assert sorted(spent)[1] < 0.02  # nothing is compiled or built: 1 ms on an idle machine
    assert one.seed == 2
    one.reset()
    one.command("falcon", take_off=True)
    one.run(until=2.0)
    assert np.array_equal(one["falcon"].position, second)


def test_another_wind_blows_from_now_on():
    scene, _ = drone_in(ground())
    sim = SceneSimulation(scene)
    sim.run(until=1.0)
    still = sim["falcon"].rotation
    sim.set_wind(tl.Wind.uniform((6.0, 0.0, 0.0)))
    sim.run(until=4.0)
    assert 2.0 * np.arcsin(abs(sim["falcon"].rotation[2])) > 2.0 * np.arcsin(abs(still[2])) + 0.02
    assert sim.events[-1].sentence == "wind [6.0, 0.0, 0.0] m/s"
    sim.reset()
    sim.run(until=1.0)
    assert np.array_equal(sim["falcon"].rotation, still)
