"""The canopy robot in scenes: against its analytic model, closed forms, and the plant that it had before."""

import math
from dataclasses import replace

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.assembly.hanging import hang_robot
from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.contracts.errors import InputError
from tetherlab.control.avocado import PaperController, References
from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.plant.branch import Branch
from tetherlab.plant.graph_build import open_tether
from tetherlab.plant.hanging import hanging
from tetherlab.plant.joint_build import joint_energy
from tetherlab.sim.canopy import CanopyRun
from tetherlab.tether.readout import energy_of
from tetherlab.vehicles.avocado import AvocadoCommand, AvocadoRobotSpec, AvocadoState, equilibrium, simulate

DEGREE = math.pi / 180.0
TICK, STEP = 0.01, 0.002
IDLE = AvocadoRobotSpec(thrust_min=0.0)  # its propellers stand still when told to
SLUGGISH = replace(IDLE, drag_coefficient=20.0)  # comes to rest soon
LOSSLESS = replace(IDLE, drag_coefficient=0.0, damping_phi=0.0, damping_roll=0.0)
RADIUS = 0.02  # of branches [m]


def hung(spec=IDLE, start=1.0, shapes=(), branches=(), *, dt=STEP, controller=None, via=(), **options):
    """A robot that hangs from the origin."""
    scene = Scene(tl.World(list(shapes), **options))
    anchor = scene.add_hand(name="anchor", position=(0.0, 0.0, 0.0))
    for branch in branches:
        scene.add_branch(branch)
    hang_robot(scene, spec, name="robot", anchor=anchor.site(), start=start, via=via)
    return SceneSimulation(scene, dt=dt, controllers={} if controller is None else {"robot": controller})


def run(sim, duration, watch):
    """What is seen every 10 ms, stacked."""
    seen, first = [], sim.time
    for k in range(round(duration / TICK)):
        sim.run(until=first + (k + 1) * TICK)
        seen.append(watch(sim))
    return np.array(seen)


def bar(x, z, friction=0.5):
    """A stiff branch along y."""
    return tl.shapes.Capsule(
        start=(x, -0.5, z), end=(x, 0.5, z), radius=RADIUS, name="bar", friction=friction
    )


def twig(x=0.1, z=-0.5, **changes):
    """A branch along y that bends, about 3 /s."""
    given = {"radius": RADIUS, "stiffness": 60.0, "damping": 0.5, "inertia": 0.15, "friction": 0.5} | changes
    return Branch(name="twig", root=(x, -0.5, z), tip=(x, 0.5, z), **given)


def over(x, z):
    """Where a tether from the origin over a branch meets the plumb line on its far side."""
    touch = RADIUS + 3e-4
    angle = math.atan2(x, -z) + math.asin(touch / math.hypot(x, z))
    return np.array([x + touch, 0.0, -(x + touch) / math.tan(angle)])


def swing_from(theta, length, spec=IDLE, **changes):
    """At rest, aside, with the tether stretched by the weight of the robot."""
    return AvocadoState(distance=hanging(spec, length).distance, tether_length=length, theta=theta, **changes)


def hangs_from(sim):
    """Name of the object that the tether touches last, or "anchor"."""
    _ = sim["robot"].state
    who = int(sim.plant.hanging["object"][0])
    return "anchor" if who < 0 else sim.world.names[who]


def energy(sim):
    """Of robot, tether and branches [J]."""
    graph, total = sim.graph, joint_energy(sim.graph.joint)
    for body in graph.body:
        L_B = body["R_WB"].T @ body["L_W"]
        total += 0.5 * float(body["mass"] * body["v_W"] @ body["v_W"])
        total += 0.5 * float(L_B @ np.linalg.solve(body["inertia_B"], L_B))
        total += graph.gravity * float(body["mass"] * body["p_W"][2])
    model = tl.Tether(sim.scene.tethers["robot_tether"].spec, base=(0, 0, 0), end=(0, 0, -1), length=1.1)
    own = energy_of(model._model, open_tether(graph, 0))
    return total + own.total + float(graph.body_contact["stored"].sum())


def period(theta):
    """Mean time between upward passages of zero [s]."""
    i = np.flatnonzero((theta[:-1] < 0.0) & (theta[1:] >= 0.0))
    return float(np.diff(i + theta[i] / (theta[i] - theta[i + 1])).mean()) * TICK


@pytest.mark.parametrize("thrust", [0.5, 3.0, 5.0])
def test_it_leans_as_the_closed_form_says(thrust):
    sim = hung(SLUGGISH, dt=0.01)
    for share in (0.5, 0.8, 0.95, 1.0):  # in steps: at once the larger ones would turn it over
        sim.command("robot", thrust=share * thrust)
        sim.run(until=sim.time + (3.0 if share < 1.0 else 15.0))
    state, wanted = sim["robot"].state, equilibrium(SLUGGISH, thrust)
    assert state.theta == pytest.approx(wanted.theta, abs=0.01 * DEGREE)
    assert state.phi == pytest.approx(wanted.phi, abs=0.01 * DEGREE)
    assert sim["robot"].thrusts == pytest.approx([0.5 * thrust] * 2)


@pytest.mark.parametrize(("theta", "length"), [(2.0, 0.5), (30.0, 1.0), (30.0, 2.0)])
def test_it_swings_as_the_analytic_model_does(theta, length):
    """With the same spring, EA = k_T length."""
    spec = replace(IDLE, tether_axial_stiffness=IDLE.tether_stiffness * length)
    start = swing_from(theta * DEGREE, length, spec, phi=0.1 * theta * DEGREE)
    thetas = run(hung(spec, start), 8.0, lambda sim: sim["robot"].state.theta)
    model = simulate(spec, start, AvocadoCommand(), 8.0).theta[1:]
    assert period(thetas) == pytest.approx(period(model), rel=2e-4)
    assert np.abs(thetas - model).max() < 0.006 * theta * DEGREE


def test_the_packaged_robot_reels_turns_and_falls_as_it_is_told():
    scene = Scene(tl.World(gravity=9.81))
    anchor = scene.add_hand(name="anchor", position=(0.0, 0.0, 0.0))
    robot, line = hang_robot(scene, "avocado", name="robot", anchor=anchor.site(), start=1.0)
    assert robot.spec == AvocadoRobotSpec(gravity=9.81) and line.length_total == robot.spec.tether_total
    sim = SceneSimulation(scene)
    np.testing.assert_allclose(scene.at(robot.site("spool")), (0.0, 0.0, -sim["robot"].state.distance))
    sim.command("robot_tether", speed=1.0)
    sim.command("robot", thrust=0.2, torque=0.005)
    kept = sim.get_state()
    sim.run(until=2.0)
    top, ramp = robot.spec.spool_speed_max, robot.spec.spool_acceleration_max
    assert sim["robot_tether"].length == pytest.approx(1.0 + 2.0 * top - 0.5 * top**2 / ramp, rel=0.01)
    left, right = sim["robot"].thrusts
    assert left - right == pytest.approx(0.005 / robot.spec.motor_arm)
    assert sim["robot"].angular_velocity[2] < -0.1  # to the right
    place = sim["robot"].position
    sim.set_state(kept)
    sim.run(until=2.0)
    np.testing.assert_array_equal(sim["robot"].position, place)
    sim.release("robot_tether", "start")
    sim.run(until=2.3)
    assert sim["robot"].velocity[2] == pytest.approx(-0.3 * 9.81, abs=0.3)


def test_drag_a_wall_behind_and_a_motor_that_fails():
    wall = tl.shapes.Box(lower=(-1.0, -1.0, -3.0), upper=(-0.05, 1.0, 1.0), name="wall")
    sim = hung(SLUGGISH, shapes=[wall])
    sim.command("robot", thrust=0.5)
    sim.run(until=0.01)
    ratio = 0.25 * SLUGGISH.propeller_radius / 0.05
    thrusters = sim.plant.thrusters[0]
    assert thrusters["cushion"] == pytest.approx(1.0 / (1.0 - ratio**2), rel=2e-3)
    assert sim["robot"].thrusts == pytest.approx(thrusters["motor"] * thrusters["cushion"])
    blown = hung(SLUGGISH, wind=tl.Wind.uniform((2.0, 0.0, 0.0)), dt=0.01)
    blown.run(until=15.0)
    push = SLUGGISH.drag_coefficient * SLUGGISH.plate_area * 2.0
    assert blown["robot"].state.theta == pytest.approx(math.atan2(push, SLUGGISH.weight), abs=1e-3)
    scene = Scene()
    anchor = scene.add_hand(name="anchor", position=(0.0, 0.0, 0.0))
    hang_robot(scene, IDLE, name="robot", anchor=anchor.site(), start=1.0, thrust=2.0, failures={"left": 0.2})
    failing = SceneSimulation(scene)
    failing.run(until=0.2)
    assert failing["robot"].thrusts == pytest.approx([1.0, 1.0])
    failing.run(until=0.6)
    left, right = failing["robot"].thrusts
    assert left < 1e-3 and right == pytest.approx(1.0)


def test_a_branch_becomes_the_anchor_and_is_left_again():
    """The free length is the tangent from P to the branch, and the statics are those of the free part."""
    sim = hung(SLUGGISH, 1.5, [bar(0.1, -0.5)], dt=0.01)
    sim.command("robot", thrust=2.5)
    sim.run(until=12.0)
    state, wanted = sim["robot"].state, equilibrium(SLUGGISH, 2.5)
    away = sim["robot_tether"].nodes[0][[0, 2]] - (0.1, -0.5)
    assert hangs_from(sim) == "bar"
    tangent = math.sqrt(away @ away - (RADIUS + 0.5 * SLUGGISH.tether_diameter) ** 2)
    assert state.distance == pytest.approx(tangent, abs=1e-4)
    assert state.theta == pytest.approx(wanted.theta, abs=0.1 * DEGREE)
    assert state.phi == pytest.approx(wanted.phi, abs=0.1 * DEGREE)
    sim.command("robot", thrust=0.0)
    sim.run(until=22.0)
    assert hangs_from(sim) == "anchor"


@pytest.mark.parametrize("friction", [0.0, 0.3, 0.6])
def test_a_tether_that_is_pulled_over_a_branch_is_braked_by_the_capstan_law(friction):
    """The anchor pulls it over the branch, and the robot up: then the tensions are as exp(friction turn)."""
    corner = over(0.3, -0.5)
    start = AvocadoState(distance=0.6004, tether_length=0.6 + float(np.linalg.norm(corner)) * (1.0 - 7e-4))
    sim = hung(SLUGGISH, start, [bar(0.3, -0.5, friction)], via=[corner])
    way = -corner / np.linalg.norm(corner)
    for k in range(1000):
        sim.command("anchor", position=0.05 * STEP * (k + 1) * way)
        sim.step()
    tensions, nodes = sim["robot_tether"].tensions, sim["robot_tether"].nodes
    first, last = nodes[1] - nodes[0], nodes[-1] - nodes[-2]
    turn = math.acos(first @ last / np.linalg.norm(first) / np.linalg.norm(last))
    assert turn == pytest.approx(math.atan2(0.3 + RADIUS, 0.5), abs=0.05)
    assert math.log(tensions[-1] / tensions[0]) == pytest.approx(friction * turn, abs=2e-3)


def test_a_free_branch_swings_and_decays_like_an_oscillator():
    scene, given = Scene(), twig(bent=(0.1, 0.0), release_time=0.3)
    scene.add_branch(given)
    sim = SceneSimulation(scene, dt=STEP)
    bends = run(sim, 2.3, lambda sim: sim["twig_root"].angles)
    decay = 0.5 * given.damping / given.inertia
    pace = math.sqrt(given.stiffness / given.inertia - decay**2)
    t = np.maximum(TICK * np.arange(1, len(bends) + 1) - 0.3, 0.0)
    wanted = 0.1 * np.exp(-decay * t) * (np.cos(pace * t) + decay / pace * np.sin(pace * t))
    assert bends[:, 0] == pytest.approx(wanted, abs=4e-4)
    assert np.abs(bends[:, 1]).max() < 1e-9  # its weight is in its shape at rest


@pytest.mark.parametrize("bent", [(0.4, 0.3), (-0.2, -0.5)])
def test_a_branch_turns_as_a_universal_joint_does(bent):
    """Against the equations of a thin rod, integrated with small steps; and it looks the way it is bent."""
    scene, given = Scene(), twig(bent=bent, damping=0.0)
    part = scene.add_branch(given, name="other")
    side = given.axes[0]
    tip = matrix_from_quaternion(part.body.rotation_wxyz) @ (given.tip - given.root)
    assert np.sign(tip @ side) == np.sign(bent[1])
    assert np.sign(tip @ np.cross(side, given.tip - given.root)) == np.sign(bent[0])
    sim = SceneSimulation(scene, dt=STEP)
    bends = run(sim, 1.0, lambda sim: sim["other_root"].angles)
    spring = given.stiffness / given.inertia

    def rates(y):
        a, b, da, db = y
        return np.array(
            [da, db, (2.0 * np.sin(b) * da * db - spring * a / np.cos(b)) / np.cos(b),
             -np.sin(b) * np.cos(b) * da * da - spring * b]
        )  # fmt: skip

    y, h = np.array([*bent, 0.0, 0.0]), 1e-3
    for k in range(1000):
        k1 = rates(y)
        k2 = rates(y + 0.5 * h * k1)
        k3 = rates(y + 0.5 * h * k2)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rates(y + h * k3))
        if k % 10 == 9:
            assert bends[k // 10] == pytest.approx(y[:2], abs=4e-3)


def test_a_robot_tied_to_the_tip_of_a_branch_bends_it_down_by_its_weight():
    """k b = weight (reach cos(b) - radius sin(b)): the lever shrinks as the branch goes down."""
    scene = Scene()
    given = Branch(
        name="limb", root=(0.0, 0.0, 0.0), tip=(0.6, 0.0, 0.0), radius=0.01, stiffness=20.0, damping=2.0,
        inertia=0.05,
    )  # fmt: skip
    limb = scene.add_branch(given)
    site = limb.site((0.6, 0.0, -0.01))
    hang_robot(scene, replace(IDLE, drag_coefficient=5.0), name="robot", anchor=site, start=0.5)
    sim = SceneSimulation(scene)
    sim.run(until=12.0)
    weight, b = IDLE.weight + 0.5 * 9.80665 * IDLE.tether_density, 0.0
    for _ in range(50):
        b = 0.5 * b + 0.5 * weight / 20.0 * (0.6 * math.cos(b) - 0.01 * math.sin(b))
    assert sim["limb_root"].angles == pytest.approx([0.0, -b], abs=2e-4)
    assert sim["robot"].state.theta == pytest.approx(0.0, abs=1e-3)


def test_a_robot_that_hangs_over_a_branch_bends_it_as_its_pull_says():
    """Spring times angle = moment of the forces of both legs about the root."""
    corner = over(0.15, -0.5)
    start = AvocadoState(distance=0.6004, tether_length=0.6 + float(np.linalg.norm(corner)) * (1.0 - 7e-4))
    given = twig(0.15, -0.5, damping=2.0, friction=0.0)  # else the upper leg pulls less than the lower
    sim = hung(replace(IDLE, drag_coefficient=5.0), start, branches=[given], via=[corner])
    sim.run(until=10.0)
    assert hangs_from(sim) == "twig"
    hanging_now = sim.plant.hanging[0]
    contact, down = hanging_now["point_W"], hanging_now["along_W"]
    up = -contact / np.linalg.norm(contact)  # the anchor is at the origin
    moment = np.cross(contact - given.root, IDLE.weight * (down + up))
    side, lift = given.axes
    bent = sim["twig_root"].angles
    assert bent * given.stiffness == pytest.approx([moment @ side, moment @ lift], rel=0.03)
    assert bent[1] < 0.0  # down


def held_aside():
    """A branch that is held aside by 15 deg and let go after 2 s, and a robot that hangs over it by then."""
    middle = 0.5 * np.array([math.sin(0.44), 0.0, -math.cos(0.44)])
    root = middle - 0.5 * np.array([math.sin(15.0 * DEGREE), -math.cos(15.0 * DEGREE), 0.0])
    inertia = 0.3 * 0.6**2 / 3.0
    return Branch(
        name="branch", root=root, tip=root - (0.0, 0.6, 0.0), radius=0.015, stiffness=355.0 * inertia,
        damping=5.65 * inertia, inertia=inertia, friction=0.8, bent=(15.0 * DEGREE, 0.0), release_time=2.0,
    )  # fmt: skip


def test_a_branch_that_is_let_go_under_a_robot_does_what_it_did_in_the_plant_before():
    """Coupled in one solve here, by passes until the loads agree there; within 1 % of the swing."""
    start = swing_from(30.0 * DEGREE, 1.5)
    sim = hung(IDLE, start, branches=[held_aside()])
    before = CanopyRun(IDLE, tl.World(), AvocadoCommand(), start, 10.0, branches=[held_aside()])
    seen = []
    for k in range(400):
        before.step()
        sim.run(until=(k + 1) * TICK)
        old, new = before.state, sim["robot"].state
        bends = (before.plant.branch["bent"][0], sim["branch_root"].angles)
        seen.append([(s.theta, s.phi, s.distance, *b) for s, b in zip((old, new), bends, strict=True)])
        assert hangs_from(sim) == before.hangs_from
    old, new = np.array(seen).transpose(1, 0, 2)
    assert {before.hangs_from} == {"branch"} and np.ptp(old[:, 3]) > 15.0 * DEGREE
    assert (np.abs(new - old).max(axis=0) < 0.01 * np.ptp(old, axis=0)).all()


@pytest.mark.parametrize("kind", ["bends", "light", "shell"])
def test_contact_with_a_branch_that_bends_gives_no_energy(kind):
    """A swing into it, without drag; the whole is 10 J."""
    given = {
        "bends": twig(damping=0.0),
        "light": twig(damping=0.0, stiffness=20.0, inertia=0.02),
        "shell": twig(0.1, -1.6, damping=0.0, friction=0.3),
    }[kind]
    sim = hung(LOSSLESS, swing_from(-30.0 * DEGREE, 1.5), branches=[given])
    first = energy(sim)
    seen = run(sim, 3.0, lambda sim: (energy(sim), np.abs(sim["twig_root"].angles).max()))
    energies = np.concatenate([[first], seen[:, 0]])
    assert seen[:, 1].max() > 0.01  # it was met
    assert (energies - np.minimum.accumulate(energies)).max() < 5e-5
    if kind == "bends":  # and takes little
        assert energies[0] - energies[-1] < 0.02


def test_the_controller_of_the_paper_flies_it_over_a_branch():
    wanted = References(times=[0.0, 1.0, 5.0], tether_length=1.5, theta=[0.0, 0.0, 25.0 * DEGREE])
    spec = AvocadoRobotSpec()
    sim = hung(spec, 1.5, branches=[twig()], controller=PaperController(spec, wanted))
    sim.run(until=10.0)
    assert hangs_from(sim) == "twig"
    assert sim["robot"].state.theta == pytest.approx(25.0 * DEGREE, abs=2.0 * DEGREE)


def test_what_is_wrong_is_explained():
    scene = Scene()
    anchor = scene.add_hand(name="anchor", position=(0.0, 0.0, 0.0))
    with pytest.raises(InputError, match="Did you mean 'left'"):
        hang_robot(scene, IDLE, name="one", anchor=anchor.site(), start=1.0, failures={"lefd": 1.0})
    with pytest.raises(InputError, match="hangs on its tether"):
        scene.add_robot("avocado", name="stands", on=anchor.site())
    with pytest.raises(InputError, match="AvocadoRobotSpec"):
        hang_robot(scene, "x500", name="two", anchor=anchor.site(), start=1.0)
    with pytest.raises(InputError, match="rotation_wxyz"):
        scene.add_robot("avocado", name="both", position=(0, 0, 0), yaw=1.0, rotation_wxyz=(1, 0, 0, 0))
    sim = hung()
    with pytest.raises(InputError, match="takes thrust, torque"):
        sim.command("robot", position=(0.0, 0.0, 0.0))
    with pytest.raises(InputError, match="AvocadoCommand"):
        hung(controller=3)
