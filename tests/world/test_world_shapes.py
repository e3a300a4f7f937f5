"""What shapes refuse."""

import dataclasses

import numpy as np
import pytest

from tetherlab.contracts.errors import InputError
from tetherlab.world import shapes as S

ORIGIN = (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: S.Plane(normal=ORIGIN), "normal must have a direction, got a zero vector"),
        (lambda: S.Plane(point=(0, 0)), r"point must have shape \(3,\), got \(2,\)"),
        (lambda: S.Sphere(center=ORIGIN, radius=0), "radius must be > 0, got 0"),
        (lambda: S.Sphere(center=(0, 0, np.nan), radius=1), "center must be finite"),
        (lambda: S.Sphere(center=ORIGIN, radius="1"), "radius must be a number, got '1'"),
        (lambda: S.Box(lower=ORIGIN, upper=(1, 1, 0)), "upper must be above lower on every axis"),
        (lambda: S.OrientedBox(center=ORIGIN, size=(1, -1, 1)), "size must be > 0 on every axis"),
        (lambda: S.OrientedBox(center=ORIGIN, size=(1, 1, 1), rotation=(0, 0, 0, 0)), "unit quaternion wxyz"),
        (lambda: S.Cylinder(start=ORIGIN, end=ORIGIN, radius=1), "start and end must be different points"),
        (lambda: S.Capsule(start=ORIGIN, end=(0, 0, 1), radius=-1), "radius must be > 0, got -1"),
        (lambda: S.Union(shapes=[]), "shapes of a Union must hold at least one shape"),
        (lambda: S.Union(shapes=[S.Plane(), 3]), r"shapes\[1\] must be a shape such as tl.shapes.Box"),
        (
            lambda: S.Union(shapes=S.Plane()),
            r"shapes must be a list of shapes, got a single Plane: write \[sh",
        ),
        (lambda: S.Box(lowerr=ORIGIN, upper=(1, 1, 1)), "Box has no field 'lowerr'. Did you mean 'lower'?"),
        (
            lambda: S.Cylinder(start=ORIGIN, stop=ORIGIN, radius=1),
            "Cylinder has no field 'stop'. .*Known: end",
        ),
        (lambda: S.Difference(shape=S.Plane(), minus=None), "minus must be a shape"),
        (lambda: S.Plane(friction=-0.1), "friction must be >= 0, got -0.1"),
        (lambda: S.Plane(name=3), "name must be a string, got 3"),
        (lambda: S.VoxelGrid(values=np.ones((3, 3)), origin=ORIGIN, spacing=1), "values must have shape"),
        (lambda: S.VoxelGrid(values=np.ones((3, 3, 1)), origin=ORIGIN, spacing=1), "each count >= 2"),
        (
            lambda: S.VoxelGrid(values=np.full((3, 3, 3), np.nan), origin=ORIGIN, spacing=1),
            "values must be finite",
        ),
        (lambda: S.VoxelGrid(values=np.ones((3, 3, 3)), origin=ORIGIN, spacing=0), "spacing must be > 0"),
    ],
)
def test_a_shape_that_cannot_be_is_refused_with_one_clear_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_shapes_are_frozen_down_to_their_arrays():
    box = S.Box(lower=ORIGIN, upper=(1, 1, 1))
    with pytest.raises(dataclasses.FrozenInstanceError):
        box.lower = (1, 1, 1)
    with pytest.raises(ValueError, match="read-only"):
        box.lower[0] = 5.0


def test_a_shape_keeps_no_link_to_the_array_it_was_given():
    lower = np.zeros(3)
    box = S.Box(lower=lower, upper=(1, 1, 1))
    lower[0] = 0.5
    assert box.lower[0] == 0.0
