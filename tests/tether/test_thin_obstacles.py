"""Nothing is so thin, or so close beside something else, that a tether passes through it."""

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.tether.rough_step import stop_at_obstacles

RADIUS = 0.004


@pytest.mark.parametrize("element_length", [0.1, 0.2])
@pytest.mark.parametrize("pole_radius", [0.005, 0.02])
@pytest.mark.parametrize("share", [0.0, 0.25, 0.6, 0.85])
def test_a_tether_that_is_swept_over_the_ground_is_caught_by_a_pole(element_length, pole_radius, share):
    spec = tl.TetherSpec(linear_density=0.0667, diameter=2 * RADIUS, friction=0.1)
    where = share * element_length  # of the pole, along an element
    pole = tl.shapes.Cylinder(start=(where, 0.3, -0.1), end=(where, 0.3, 2), radius=pole_radius, name="pole")
    tether = tl.Tether(
        spec,
        base=(-1.5, 0, RADIUS),
        end=(1.5, 0, RADIUS),
        length=3.0,
        element_length=element_length,
        world=tl.World([tl.shapes.Plane(name="ground"), pole]),
    )
    speed, dt = 2.0, 0.01
    for y in np.arange(1, 31) * speed * dt:
        tether.step(dt, base=(-1.5, y, RADIUS), end=(1.5, y, RADIUS))
    assert tether.nodes[0, 1] > 0.5
    assert "pole" in {contact.object for contact in tether.contacts}


@pytest.mark.parametrize("beside", [-0.0135, 0.0135])
def test_a_pole_does_not_slip_through_a_long_element_next_to_its_node(beside):
    """Too far from the node to touch it, and at 1.4 % of the element."""
    spec = tl.TetherSpec(linear_density=0.0667, diameter=2 * RADIUS, friction=0.1)
    x = -0.5 + beside  # nodes are at -1.5, -0.5, 0.5 and 1.5
    pole = tl.shapes.Cylinder(start=(x, 0.3, -1), end=(x, 0.3, 2), radius=0.005, name="pole")
    world = tl.World([pole], gravity=0.0)
    tether = tl.Tether(
        spec, base=(-1.5, 0, 0.5), end=(1.5, 0, 0.5), length=3.0, element_length=1.0, world=world
    )
    touched = set()
    for y in 0.01 * np.arange(1, 41):
        tether.step(0.005, base=(-1.5, y, 0.5), end=(1.5, y, 0.5))
        touched |= {contact.object for contact in tether.contacts}
    assert touched == {"pole"}
    assert np.interp(x, tether.nodes[:, 0], tether.nodes[:, 1]) < 0.3


def test_a_tether_that_is_stopped_where_nothing_converges_stays_wound_up():
    """Turns cannot be told from the chords of the elements that make them."""
    pole = tl.shapes.Cylinder(start=(0, 0, -2), end=(0, 0, 2), radius=0.02, name="pole")
    spec = tl.TetherSpec(linear_density=0.05, diameter=2 * RADIUS, axial_damping=50.0)
    world = tl.World([pole], gravity=0.0)
    tether = tl.Tether(spec, base=(-1, 0.1, 0), end=(1, 0.1, 0), length=2.0, element_length=0.2, world=world)
    for k in range(600):  # once and a half round
        angle = 3.0 * np.pi * min(1.0, k / 500)
        tether.step(0.005, end=(np.cos(angle), 0.1 * np.cos(angle) - np.sin(angle), 0), reel_speed=0.05)
    wraps = tether._state.wrap[: len(tether.tensions)]
    wound = float(wraps["angle"][wraps["active"] == 1].sum())
    field = world.field
    stop_at_obstacles(tether._memory, field)
    wraps = tether._state.wrap[: len(tether.tensions)]
    far = wraps["active"] == 1
    assert wound > 2.5 * np.pi
    assert float(wraps["angle"][far].sum()) > wound - 0.5 * np.pi
    assert wraps["stretch_a"][far].max() <= 1.0 and wraps["stretch_b"][far].max() <= 1.0
    for _ in range(100):
        tether.step(0.005)
    wraps = tether._state.wrap[: len(tether.tensions)]
    assert float(wraps["angle"][wraps["active"] == 1].sum()) > wound - 0.1 * np.pi


def start_through(where, radius, **options):
    """A straight tether of 2 m, with nodes every 0.1 m, through a rod across it."""
    rod = tl.shapes.Cylinder(start=(where, -1, 1), end=(where, 1, 1), radius=radius, name="rod")
    spec = tl.TetherSpec(linear_density=0.0667, diameter=2 * RADIUS)
    ends = {"base": (0, 0, 1), "end": (2, 0, 1), "length": 2.0, **options}
    return tl.Tether(spec, element_length=0.1, world=tl.World([rod]), **ends)


@pytest.mark.parametrize("radius", [0.001, 0.02])
@pytest.mark.parametrize("where", [0.025, 0.525, 0.575, 1.975])
def test_a_tether_cannot_start_through_something_thin_between_two_nodes(where, radius):
    with pytest.raises(tl.InputError, match=r"start inside an obstacle, 'rod', near .*give `shape`"):
        start_through(where, radius)


def test_a_tether_cannot_start_through_what_its_end_is_tied_to():
    with pytest.raises(tl.InputError, match="inside an obstacle, 'rod'"):
        start_through(0.02, 0.02)


@pytest.mark.parametrize("where", [-0.02, -0.017, 2.02])
def test_a_tether_may_start_at_the_surface_of_what_its_end_is_tied_to(where):
    assert start_through(where, 0.02).length == 2.0


def test_a_tether_may_start_beside_something_thin():
    height = 1.02 + RADIUS
    tether = start_through(0.525, 0.02, base=(0, 0, height), end=(2, 0, height))
    assert np.allclose(tether.nodes[:, 2], height)
    with pytest.raises(tl.InputError, match="inside an obstacle"):  # and a hair lower it may not
        start_through(0.525, 0.02, base=(0, 0, height - 0.01), end=(2, 0, height - 0.01))


@pytest.mark.parametrize("off", [0.0, 0.0015, 0.004, 0.05])
def test_a_shape_over_a_thin_rod_is_taken_wherever_its_nodes_fall(off):
    # The corner of the shape lies `off` beside the place of a node, and the rod 0.3 mm below its flanks.
    rod = tl.shapes.Cylinder(start=(0, -1, -0.02), end=(0, 1, -0.02), radius=0.0117, name="rod")
    way = 0.5 + off
    base, end = (-0.8 * way, 0, -0.6 * way), (0.6, 0, -0.8)
    spec = tl.TetherSpec(linear_density=1e-4, diameter=0.0004)
    tether = tl.Tether(
        spec,
        base=base,
        end=end,
        length=way + 1.0,
        shape=[base, (0, 0, 0), end],
        element_length=(way + 1.0) / 15,
        world=tl.World([rod]),
    )
    assert np.linalg.norm(tether.nodes, axis=1).min() < 0.003
