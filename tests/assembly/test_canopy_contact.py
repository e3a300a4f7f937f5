"""What the analytic model cannot show: tether and shell touch branches, slide on them and come free."""

import math
from dataclasses import replace

import numpy as np
import pytest
from canopy_scenes import (
    CROSSBAR,
    IDLE,
    LOSSLESS,
    SLUGGISH,
    Hung,
    bar,
    growth,
    over,
    swing_from,
    twig,
)

import tetherlab as tl
from tetherlab.vehicles.avocado import AvocadoState, equilibrium
from tetherlab.world.hoop import hoop

RADIUS = 0.02  # of the branches [m]


def test_a_branch_becomes_the_anchor():
    """The free length is the tangent from P to the branch, and the statics are those of the free part."""
    hung = Hung(replace(SLUGGISH, tether_friction=0.3), shapes=[bar()], length=1.5)
    hung.run(40.0, thrust=2.5)
    away = hung.point[[0, 2]] - CROSSBAR
    tangent = math.sqrt(away @ away - (RADIUS + 0.5 * SLUGGISH.tether_diameter) ** 2)
    assert hung.hangs_from == "bar"
    assert hung.state.distance == pytest.approx(tangent, abs=1e-4)
    assert hung.state.tether_length == pytest.approx(1.5)
    assert hung.state.distance < 1.5 - math.hypot(*CROSSBAR) + RADIUS
    wanted = equilibrium(SLUGGISH, 2.5)
    assert hung.state.theta == pytest.approx(wanted.theta, abs=1.7e-3)  # 0.1 deg
    assert hung.state.phi == pytest.approx(wanted.phi, abs=1.7e-3)


def test_the_tether_leaves_the_branch_again():
    hung = Hung(SLUGGISH, shapes=[bar()], length=1.5)
    hung.run(10.0, thrust=2.5)
    assert hung.hangs_from == "bar"
    hung.run(20.0)
    assert hung.hangs_from == "anchor"
    assert hung.state.distance == pytest.approx(1.5, abs=2e-3)
    assert hung.state.theta == pytest.approx(0.0, abs=2e-3)


def rested(friction, aside):
    """Where along a branch a robot comes to rest that hangs over it, `aside` from the anchor's plane [m]."""
    spec = replace(IDLE, drag_coefficient=5.0)
    corner = over(0.15, -0.5, RADIUS) + np.array([0.0, aside, 0.0])
    up = float(np.linalg.norm(corner))
    start = AvocadoState(distance=0.6004, tether_length=0.6 + up * (1.0 - 7e-4))
    hung = Hung(spec, start, [bar(0.15, -0.5, friction=friction)], via=[corner])
    hung.run(6.0)
    assert hung.hangs_from == "bar"
    return hung.contact[0][1]


def friction_needed(aside):
    """Along the branch the tether is pulled by T sin(slope), and pressed on it by 2 T sin(turn / 2)."""
    up = math.hypot(*over(0.15, -0.5, RADIUS)[[0, 2]])
    return math.sin(math.atan(aside / up)) / (2.0 * math.sin(0.5 * math.atan2(0.15 + RADIUS, 0.5)))


@pytest.mark.parametrize("aside", [0.02, 0.08, 0.2])
def test_friction_holds_the_tether_on_the_branch_where_the_capstan_law_says(aside):
    needed = friction_needed(aside)
    # It bounces at the start, and what slides lengthwise has no friction left sideways: so 4 times as much.
    assert rested(4.0 * needed, aside) == pytest.approx(aside, rel=0.05)
    slid = rested(0.7 * needed, aside)
    assert abs(slid) < 0.8 * aside
    assert friction_needed(abs(slid)) < 0.7 * needed * 1.05


def test_tensions_on_both_sides_differ_by_no_more_than_the_capstan_law_allows():
    """The robot is dropped into a tether without tension; what reaches the anchor passed the branch."""
    corner = over(0.3, -0.5, RADIUS)
    up = float(np.linalg.norm(corner))
    turn = math.atan2(0.3 + RADIUS, 0.5)
    for friction in (0.0, 0.5):
        start = AvocadoState(distance=0.6, tether_length=0.6 + up)
        hung = Hung(
            replace(IDLE, drag_coefficient=5.0), start, [bar(0.3, -0.5, friction=friction)], via=[corner]
        )
        hung.run(6.0)
        near, *_, far = hung.flight.simulation["robot_tether"].tensions
        assert near == pytest.approx(IDLE.weight, rel=2e-3)
        assert abs(math.log(far / near)) < friction * turn * 1.05 + 2e-3


@pytest.mark.parametrize("kind", ["frictionless", "stiff", "bends", "light", "shell", "shell, bends"])
def test_contact_never_gives_energy(kind):
    """A swing into something, without drag. The whole is 10 J; contact keeps its books to 1e-5 J a step."""
    low = (CROSSBAR[0], -1.6)
    shapes = {"frictionless": [bar(friction=0.0)], "stiff": [bar()], "shell": [bar(*low, friction=0.3)]}
    twigs = {
        "bends": [twig(damping=0.0)],
        "light": [twig(damping=0.0, stiffness=20.0, inertia=0.02)],
        "shell, bends": [twig(*low, damping=0.0, friction=0.3)],
    }
    start = swing_from(-math.radians(30.0), 1.5)
    hung = Hung(LOSSLESS, start, shapes.get(kind, []), branches=twigs.get(kind, []))
    touched = hung.run(6.0, watch=lambda hung: (hung.energy, hung.hangs_from != "anchor", hung.touching))
    assert (touched[:, 1] > 0).any() or (touched[:, 2] > 0).any()
    assert growth(touched[:, 0]) < 5e-5
    if kind in ("frictionless", "bends"):  # and takes little
        assert touched[0, 0] - touched[-1, 0] < 0.02


def test_the_shell_hits_slides_and_comes_free_without_going_in():
    """A swing of 1.6 m/s into a bar at the height of the robot's middle."""
    z = -1.5 - IDLE.mass_arm
    hung = Hung(IDLE, swing_from(-math.radians(25.0), 1.5), [bar(0.08, z, friction=0.3)])

    def deepest(hung):
        body = hung.body
        centres = body["p_W"] + body["point_B"][: body["point_count"]] @ body["R_WB"].T
        away = np.hypot(centres[:, 0] - 0.08, centres[:, 2] - z)
        return (body["point_radius"][0] + RADIUS - away).max(), hung.touching

    depth, touching = hung.run(3.0, watch=deepest).T
    assert touching.any() and touching[-50:].sum() == 0
    # The soft shell gives way by what it needs to stop the robot: v sqrt(m / k), 10 mm at most.
    assert 1e-4 < depth.max() < 0.01
    assert not hung.ended


def test_friction_brakes_a_shell_that_slides():
    """Thrown along a bar that it leans on, it slides farther the less friction there is."""
    ways = []
    for friction in (0.0, 0.4):
        spec = replace(IDLE, shell_friction=0.1)
        hung = Hung(spec, swing_from(0.0, 1.5), [bar(0.069, -1.5 - 0.154, friction=friction)])
        hung.run(2.0, thrust=1.0)
        assert hung.touching > 0
        hung.body["v_W"][1] += 0.3
        ways.append(np.abs(hung.run(0.5, thrust=1.0, watch=lambda hung: hung.body["p_W"][1])).max())
    assert ways[1] < 0.7 * ways[0]


def test_a_robot_that_hangs_over_a_bending_branch_bends_it_as_its_pull_says():
    """Spring times angle = moment of the forces of both legs about the root."""
    corner = over(0.15, -0.5, RADIUS)
    start = AvocadoState(distance=0.6004, tether_length=0.6 + float(np.linalg.norm(corner)) * (1.0 - 7e-4))
    given = twig(0.15, -0.5, damping=2.0, friction=0.0)  # else the upper leg pulls less than the lower
    hung = Hung(replace(IDLE, drag_coefficient=5.0), start, branches=[given], via=[corner])
    hung.run(15.0)
    contact, down = hung.contact
    (bent,) = hung.flight.bends
    up = -contact / np.linalg.norm(contact)  # the anchor is at the origin
    moment = np.cross(contact - given.root, IDLE.weight * (down + up))
    side, lift = given.axes
    assert bent * given.stiffness == pytest.approx([moment @ side, moment @ lift], rel=0.03)
    assert bent[1] < 0.0  # down


def test_a_hoop_is_as_wide_as_it_says_and_lets_the_robot_through():
    ring = hoop(center=(0.0, 0.0, -1.3), normal=(0.0, 0.0, 1.0))
    world = tl.World([ring])
    angle = np.linspace(0.0, 2.0 * np.pi, 97)[:-1]
    rim = np.column_stack([0.2 * np.cos(angle), 0.2 * np.sin(angle), np.full(96, -1.3)])
    assert world.distance(rim).min() == pytest.approx(0.0, abs=1e-9)
    assert world.distance((0.0, 0.0, -1.3)) == pytest.approx(0.2, abs=1e-9)
    hung = Hung(IDLE, length=0.8, shapes=[ring])
    touched = hung.run(7.0, reel_speed=0.15, watch=lambda hung: hung.touching)
    assert not touched.any() and hung.point[2] < -1.7
