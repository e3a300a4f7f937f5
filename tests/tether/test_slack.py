"""Slack and rest at obstacles: a wrapped tether does not push, does not hum, and contact gives no energy."""

import numpy as np
import pytest
from tether_scenes import book, make_spec, run

import tetherlab as tl
from tetherlab.tether import model as M
from tetherlab.tether.mesh import energy_between, merge_at

POLE = tl.shapes.Cylinder(start=(0, -5, 0), end=(0, 5, 0), radius=0.01, name="pole")


def over_the_pole(**options):
    """A taut tether with no gravity that turns round the pole, base on the left and end on the right."""
    line = np.array([[-1.0, 0.0, -1.0], [0.0, 0.0, 0.0145], [1.0, 0.0, -1.0]])
    length = float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
    world = tl.World([POLE], gravity=0.0)
    spec = make_spec(axial_stiffness=5e3, **options)
    tether = tl.Tether(spec, base=line[0], end=line[-1], length=length, shape=line, world=world)
    for _ in range(20):
        tether.step(0.01, reel_speed=-0.1)
    return tether


def wrapped(tether):
    return int(tether._state.wrap[: len(tether.nodes) - 1]["active"].sum())


def test_a_wrapped_element_pulls_but_does_not_push():
    tether = over_the_pole(axial_damping=5.0)
    assert wrapped(tether) == 1
    lowest, seen_slack = np.inf, False
    end = tether.nodes[-1].copy()
    for _ in range(60):
        end += (-0.05, 0.0, 0.03)
        tether.step(0.01, end=end)
        wrap = tether._state.wrap[: len(tether.nodes) - 1]
        bent = wrap[wrap["active"] == 1]
        lowest = min(lowest, *bent["tension_a"], *bent["tension_b"], np.inf)
        seen_slack = seen_slack or bool((bent["tension_a"] == 0.0).any())
    assert seen_slack
    assert lowest == 0.0


@pytest.mark.parametrize("damping", [0.0, 5.0])
def test_a_tether_let_off_a_pole_gains_nothing(damping):
    tether = over_the_pole(axial_damping=damping)
    tether.release("end")
    highest, start = -np.inf, book(tether)
    before = tether.energy.total
    for _ in range(200):
        tether.step(0.005)
        highest = max(highest, tether.energy.total - before)
        before = min(before, tether.energy.total)
    assert tether.energy.kinetic > 0.0
    assert highest < 1e-4
    assert book(tether) == pytest.approx(start, abs=2e-3)


def test_a_tether_at_rest_over_an_edge_is_quiet():
    box = tl.World([tl.shapes.Box(lower=(-1.0, -1.0, -3.0), upper=(0.0, 1.0, 0.0))])
    line = np.array([[-0.9, 0.0, 0.3], [0.003, 0.0, 0.004], [0.6, 0.0, -2.0]])
    length = float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
    spec = tl.TetherSpec(linear_density=0.0667, diameter=0.008, drag_coefficient=1e3)
    tether = tl.Tether(spec, base=line[0], end=line[-1], length=length, shape=line, world=box)
    while np.linalg.norm(tether.step(0.01, reel_speed=-0.02).on_end) < 20.0:
        pass
    run(tether, 8.0, dt=0.05)
    start = book(tether)
    pull = [np.linalg.norm(tether.step(0.005).on_end) for _ in range(200)]
    assert np.std(pull) < 0.005
    assert book(tether) == pytest.approx(start, abs=1e-6)


def test_a_node_that_the_winch_pays_out_does_not_touch_what_its_neighbour_touches():
    line = np.array([[-0.13, 0.0, -0.13], [0.0, 0.0, 0.0205], [1.0, 0.0, -1.0]])
    length = float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
    tether = tl.Tether(
        make_spec(), base=line[0], end=line[-1], length=length, shape=line, world=tl.World([POLE])
    )
    run(tether, 0.3, reel_speed=-0.05)
    assert wrapped(tether) == 1
    count, events = len(tether.nodes), int(tether._state.number[M.EVENTS])
    while len(tether.nodes) == count:
        tether.step(0.005, reel_speed=0.3)
    assert tether._state.number[M.EVENTS] == events + 1
    assert wrapped(tether) <= 1


def test_what_contact_owes_is_paid_with_motion_next_to_it():
    tether = over_the_pole(axial_damping=5.0)
    end = tether.nodes[-1].copy()
    for _ in range(10):
        end += (0.0, 0.02, 0.0)
        tether.step(0.01, end=end)
    twin = tether.copy()
    owed = 2e-5
    twin._state.total[M.DEBT] += owed
    lost = [t.energy.dissipated for t in (tether, twin)]
    end[1] += 2e-5
    for t in (tether, twin):
        t.step(1e-5, end=end)
    assert twin._state.total[M.DEBT] == 0.0
    lost = np.subtract([t.energy.dissipated for t in (tether, twin)], lost)
    slower = tether.energy.kinetic - twin.energy.kinetic
    assert lost[1] - lost[0] == pytest.approx(slower, rel=0.01)
    # The debt is taken from the nodes' own masses; what neighbours share adds to it or takes from it.
    assert slower == pytest.approx(owed, rel=0.2)


@pytest.mark.filterwarnings("ignore:.*shape is too")
def test_elements_folded_on_each_other_merge_into_a_slack_one_without_obstacles_too():
    count, length = 6, 0.6
    zigzag = np.array([(0.02 * (i % 2), 0.0, -0.03 * i) for i in range(count + 1)])
    zigzag[:, 0] += np.where(np.arange(count + 1) % 2, 0.075, 0.0)
    tether = tl.Tether(
        make_spec(axial_stiffness=1e4, axial_damping=1.0), base=zigzag[0], end=zigzag[-1], length=length,
        shape=zigzag, world=tl.World(gravity=0.0),
    )  # fmt: skip
    assert len(tether.nodes) == count + 1
    start, fastest = len(tether.nodes), 0.0
    while len(tether.nodes) == start:
        tether.step(0.002, reel_speed=-0.1)
    for _ in range(10):
        tether.step(0.002, reel_speed=-0.1)
        fastest = max(fastest, np.linalg.norm(tether.velocities, axis=1).max())
    assert fastest < 2.0


@pytest.mark.filterwarnings("ignore:.*shape is too")
def test_an_element_whose_nodes_are_pressed_into_two_faces_still_bends_round_their_edge():
    box = tl.World([tl.shapes.Box(lower=(-1.0, -1.0, -1.0), upper=(0.0, 1.0, 0.0))])
    p = 0.003  # nearer than elements come, let alone nodes
    tether = tl.Tether(
        make_spec(), base=(-0.55, 0.0, p), end=(p, 0.0, -0.5), length=1.0, element_length=0.1,
        shape=[(-0.55, 0.0, p), (p, 0.0, p), (p, 0.0, -0.5)], world=box,
    )  # fmt: skip
    corner = int(np.argmax(tether.nodes[:, 0] + tether.nodes[:, 2]))
    tether._state.x[corner] = (p, 0.0, -0.04)  # so that the element before it cuts the edge
    run(tether, 0.02)
    assert tether.tensions.max() > 200.0
    assert wrapped(tether) == 1


def test_slack_on_the_ground_lies_down_instead_of_standing_like_a_tent():
    tether = tl.Tether(make_spec(), base=(0, 0, 0.3), end=(3, 0, 0.3), length=4.5, world=tl.World.ground())
    run(tether, 1.0)
    nodes = tether.nodes
    inner = nodes[(nodes[:, 0] > 0.5) & (nodes[:, 0] < 2.5)]
    assert len(inner) > 10
    assert inner[:, 2].max() < 0.01
    assert tether.tensions.min() > -1e-6


def far_from_obstacles():
    """A straight tether of ten elements without gravity, and a sphere that it does not meet."""
    spec = make_spec(axial_stiffness=1e6, axial_damping=0.0)
    world = tl.World([tl.shapes.Sphere(center=(0, 0, -9), radius=1.0)], gravity=0.0)
    tether = tl.Tether(spec, base=(0, 0, 0), end=(2, 0, 0), length=2.0, element_length=0.2, world=world)
    tether.step(1e-4)
    return tether


@pytest.mark.parametrize("slack", [4, 5])
def test_a_slack_element_and_one_that_counts_as_shorter_merge_without_tension(slack):
    """The other has an offset, as after a wrap that opened: together they are longer than their length."""
    tether = far_from_obstacles()
    state, other = tether._state, 9 - slack
    state.x[5, 1] = 0.02
    state.wrap["loose"][slack] = 1
    state.rest[slack] = np.linalg.norm(state.x[slack + 1] - state.x[slack]) + 0.001
    state.offset[other] = np.linalg.norm(state.x[other + 1] - state.x[other]) - 0.15
    state.rest[other] = 0.15
    before = energy_between(tether._memory, 3, 6)
    merge_at(tether._memory, 5, 0.0)
    assert energy_between(tether._memory, 3, 5) - before < 1e-6
    assert state.offset[4] == pytest.approx(0.4 - state.rest[4], rel=1e-9)
    start = book(tether)
    tether.step(1e-3)
    assert tether.energy.elastic < 1e-3
    assert book(tether) == pytest.approx(start, abs=1e-6)


def test_what_a_wrap_counted_as_shorter_is_forgotten_while_its_element_is_slack():
    tether = far_from_obstacles()
    state = tether._state
    state.wrap["loose"][4] = 1
    state.wrap["ease"][4] = 0.05
    state.rest[4] = 0.2001
    state.v[:5, 0], state.v[5:, 0] = -2.0, 2.0
    start = book(tether)
    for _ in range(3):
        tether.step(1e-3, base_velocity=(-2, 0, 0), end_velocity=(2, 0, 0))
        if state.wrap["loose"][4] == 0:
            break
    assert state.wrap["loose"][4] == 0
    assert state.offset[4] == 0.0
    assert book(tether) == pytest.approx(start, abs=1e-4)
