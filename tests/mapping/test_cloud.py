"""Voxels: nothing is lost or counted twice, and normals look back to the eye."""

import numpy as np
import pytest
from cosine_wall import cloud_of, slopes

from tetherlab.contracts.errors import InputError
from tetherlab.mapping.cloud import voxel_means, with_normals


def test_means_keep_the_count_and_the_centre_of_all(random):
    values = random.normal(size=(5000, 5))
    means, counts = voxel_means(values, 0.3)
    assert counts.sum() == 5000 and len(means) < 5000
    assert np.allclose(counts @ means / 5000, values.mean(axis=0))
    # and in steps, with counts, it is the same
    half = [voxel_means(part, 0.3) for part in np.split(values, 2)]
    again, total = voxel_means(np.vstack([h[0] for h in half]), 0.3, np.concatenate([h[1] for h in half]))
    assert np.array_equal(total, counts) and np.allclose(again, means)


def test_a_mean_lies_in_the_voxel_of_its_points(random):
    values = random.uniform(-1.0, 1.0, (2000, 3))
    means, _ = voxel_means(values, 0.25)
    cells = {tuple(cell) for cell in np.floor(values / 0.25).astype(int)}
    assert {tuple(cell) for cell in np.floor(means / 0.25).astype(int)} == cells


def test_nothing_stays_nothing_and_a_size_must_be_one():
    assert len(voxel_means(np.empty((0, 6)), 0.1)[0]) == 0
    with pytest.raises(InputError, match="size must be > 0"):
        voxel_means(np.zeros((1, 3)), 0.0)


def test_normals_are_those_of_the_wall_and_look_at_the_eye(random):
    points = cloud_of(random, noise=0.0).points
    cloud = with_normals(points, np.ones(len(points), np.int64), np.array([-2.0, 2.0, 1.0]) - points)
    by_y, by_z = slopes(points[:, 1], points[:, 2])
    true = np.stack([-np.ones_like(by_y), by_y, by_z], axis=1)
    true /= np.linalg.norm(true, axis=1, keepdims=True)
    assert np.percentile(np.einsum("ij,ij->i", cloud.normals, true), 1.0) > np.cos(0.2)
