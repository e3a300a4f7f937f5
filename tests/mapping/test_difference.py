"""Two maps of one wall: what fell off is found and measured, and what only looks different is not."""

import math

import numpy as np
import pytest
from cosine_wall import cloud_of, height
from scipy.spatial.transform import Rotation

from tetherlab.contracts.errors import InputError
from tetherlab.mapping import ChangeSpec, compare_maps
from tetherlab.mapping.local_shift import take_away

SPALLS = [(1.0, 0.9), (2.9, 1.2), (1.9, 2.3)]
WIDTH, DEPTH = 0.3, 0.1  # at half depth


def spalled(sign=1.0):
    """The wall without paraboloids, whose width at half depth is WIDTH: at their rim √2 as much."""

    def surface(y, z):
        gone = np.zeros_like(y)
        for u, v in SPALLS:
            share = ((y - u) ** 2 + (z - v) ** 2) / (0.5 * WIDTH) ** 2
            gone += DEPTH * np.maximum(1.0 - 0.5 * share, 0.0)
        return height(y, z) + sign * gone

    return surface


def bend(y, z):
    """As maps bend: centimetres over metres, also to the side."""
    return np.stack([0.02 * np.sin(y), 0.015 * np.cos(0.8 * z), 0.015 * np.sin(0.7 * y)], axis=1)


def test_pieces_that_fell_off_are_found_and_measured_in_bent_maps(random):
    found = compare_maps(cloud_of(random), cloud_of(random, surface=spalled(), shift=bend))
    assert len(found.changes) == 3
    for u, v in SPALLS:
        change = min(found.changes, key=lambda c: math.dist(c.position[1:], (u, v)))
        assert math.dist(change.position[1:], (u, v)) < 0.05
        assert change.position[0] == pytest.approx(height(u, v), abs=0.05)
        assert change.depth == pytest.approx(DEPTH, abs=0.02)
        assert change.width == pytest.approx(WIDTH, abs=0.05)
        # of a paraboloid: half of its foot times its depth
        assert change.volume == pytest.approx(0.5 * DEPTH * math.pi * 0.5 * WIDTH**2, rel=0.2)


def test_what_was_added_has_the_other_sign(random):
    found = compare_maps(cloud_of(random), cloud_of(random, surface=spalled(-1.0)))
    assert len(found.changes) == 3
    assert all(change.depth < -0.05 and change.volume < 0.0 for change in found.changes)


def test_nothing_is_found_where_nothing_changed(random):
    found = compare_maps(cloud_of(random, noise=0.008), cloud_of(random, noise=0.008, shift=bend))
    assert found.changes == ()
    known = np.isfinite(found.lost)
    assert known.mean() > 0.9
    assert np.sqrt(np.mean(found.lost[known] ** 2)) < 0.02


def test_a_map_from_another_stand_is_laid_on_the_first(random):
    after = cloud_of(random, surface=spalled())
    transform = np.eye(4)
    transform[:3, :3] = Rotation.from_rotvec([0.01, -0.01, 0.03]).as_matrix()
    transform[:3, 3] = (0.1, -0.2, 0.15)
    found = compare_maps(cloud_of(random), after.moved(np.linalg.inv(transform)))
    assert np.allclose(found.transform, transform, atol=0.01)
    assert len(found.changes) == 3
    guessed = compare_maps(cloud_of(random), after.moved(np.linalg.inv(transform)), guess=transform)
    assert len(guessed.changes) == 3


def test_small_dents_are_below_what_is_asked_for(random):
    before, after = cloud_of(random), cloud_of(random, surface=spalled())
    assert compare_maps(before, after, ChangeSpec(depth_min=0.15)).changes == ()
    assert compare_maps(before, after, ChangeSpec(area_min=0.3)).changes == ()


def test_holes_are_no_changes(random):
    after = cloud_of(random)
    kept = np.hypot(after.points[:, 1] - 2.0, after.points[:, 2] - 1.5) > 0.3
    after = type(after)(after.points[kept], after.normals[kept], after.counts[kept])
    found = compare_maps(cloud_of(random), after)
    assert found.changes == ()
    cells = np.indices(found.lost.shape).reshape(2, -1).T + 0.5
    heights = np.zeros((len(cells), 1))
    places = found.face.outside(np.hstack([found.lattice.corner + found.lattice.cell * cells, heights]))
    inside = np.hypot(places[:, 1] - 2.0, places[:, 2] - 1.5) < 0.2
    assert inside.sum() > 50 and np.isnan(found.lost.ravel()[inside]).all()


def test_maps_that_do_not_meet_are_refused(random):
    far = cloud_of(random)
    far = far._replace(points=far.points + np.array([5.0, 0.0, 0.0]))
    with pytest.raises(InputError, match="hardly overlap"):
        compare_maps(cloud_of(random), far)


def test_floors_are_no_faces(random):
    floor = cloud_of(random)
    floor = floor._replace(
        points=floor.points[:, ::-1].copy(), normals=np.tile([0.0, 0.0, 1.0], (len(floor.points), 1))
    )
    with pytest.raises(InputError, match="looks up or down"):
        compare_maps(floor, floor)


def test_a_local_shift_is_taken_away_exactly_and_a_dent_stays():
    """d = δn − h_u δu − h_v δv with constants is what the fit assumes: only the dent is left."""
    u, v = np.meshgrid(np.arange(60.0), np.arange(50.0), indexing="ij")
    slope_u, slope_v = np.sin(0.3 * u + 0.1 * v), np.cos(0.2 * v)
    d = 0.02 - 0.01 * slope_u + 0.02 * slope_v
    dent = np.where(np.hypot(u - 30, v - 20) < 4, -0.1, 0.0)
    left, deviation = take_away(d + dent, slope_u, slope_v, 25)
    assert np.allclose(left, dent, atol=1e-4)
    assert (deviation < 1e-3).all()
