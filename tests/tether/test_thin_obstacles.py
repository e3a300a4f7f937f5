"""Nothing is so thin, or so close beside something else, that a tether passes through it."""

import numpy as np
import pytest

import tetherlab as tl

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
