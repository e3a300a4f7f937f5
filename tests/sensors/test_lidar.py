"""A lidar in rooms of known shape, at rest and on the move."""

import math
from dataclasses import replace

import numpy as np
import pytest
from inspection_scenes import inspected
from sensor_scenes import turned

from tetherlab.contracts.errors import InputError
from tetherlab.sensors.faults import Fault
from tetherlab.sensors.lidar import Lidar, LidarSpec
from tetherlab.world import World
from tetherlab.world import shapes as S

CLEAN = LidarSpec(
    noise=0.0, random_loss=0.0, edge_loss=0.0, resolution=0.0, reflectivity=0.95, position=(0, 0, 0),
    columns=128, rows=8,
)  # fmt: skip
# a square shaft, 8 m wide
SHAFT = World(
    [
        S.Plane(point=(4 * math.cos(a), 4 * math.sin(a), 0), normal=(-math.cos(a), -math.sin(a), 0))
        for a in (0, math.pi / 2, math.pi, -math.pi / 2)
    ]
)


def scan(spec=CLEAN, faults=(), **others):
    lidar = Lidar(spec, "lidar", 1)
    for fault in faults:
        lidar.inject(fault)
    return lidar.sample(inspected(**({"world": SHAFT} | others)))


def off_the_walls(points):
    """How far they are from the shaft [m]."""
    return np.abs(np.abs(points[:, :2]).max(axis=1) - 4.0)


def test_all_points_lie_on_the_walls():
    found = scan(rotation=turned(0.1, 0.2, 0.3))
    assert found.ranges.shape == (8, 128) and np.isfinite(found.ranges).all()
    points = found.points @ turned(0.1, 0.2, 0.3).T
    assert off_the_walls(points).max() < 1e-4


def test_rows_run_from_top_to_bottom_and_columns_counter_clockwise():
    rays = scan().directions
    assert rays[0, 0, 2] == pytest.approx(math.sin(0.26)) and rays[-1, 0, 2] == pytest.approx(-math.sin(0.26))
    azimuth = np.unwrap(np.arctan2(rays[0, :, 1], rays[0, :, 0]))
    np.testing.assert_allclose(np.diff(azimuth), 2 * math.pi / 128)


def test_columns_have_their_own_times_within_a_turn():
    found = scan(time=7.0)
    assert found.time == 7.0 and (np.diff(found.times) >= 0).all()
    assert found.times[0] == pytest.approx(6.9 + 0.1 * 4 / 128) and found.times[-1] < 7.0
    still = scan(replace(CLEAN, spinning=False), time=7.0)
    assert (still.times == 7.0).all()


def test_a_moving_lidar_sees_a_bent_room_and_its_times_straighten_it():
    velocity, turn = np.array([2.0, 0.5, 0.0]), 1.5
    truth = {"velocity": velocity, "angular_velocity": np.array([0, 0, turn]), "rotation": turned(z=0.3)}
    found = scan(time=7.0, **truth)
    met = np.isfinite(found.ranges)
    times = np.broadcast_to(found.times, met.shape)[met]
    as_if_still = found.points @ turned(z=0.3).T
    assert off_the_walls(as_if_still).max() > 0.1
    ages = 7.0 - times
    straight = [
        turned(z=0.3 - turn * age) @ point - age * velocity
        for age, point in zip(ages, found.points, strict=True)
    ]
    assert off_the_walls(np.array(straight)).max() < 1e-4


def test_noise_and_losses_are_as_specified():
    found = scan(
        replace(CLEAN, noise=0.02, random_loss=0.1, azimuth_range=(-0.1, 0.1), elevation_range=(-0.1, 0.1))
    )
    assert np.isnan(found.ranges).mean() == pytest.approx(0.1, abs=5 * math.sqrt(0.09 / found.ranges.size))
    clean = scan(replace(CLEAN, azimuth_range=(-0.1, 0.1), elevation_range=(-0.1, 0.1))).ranges
    errors = (found.ranges - clean)[np.isfinite(found.ranges)]
    assert np.var(errors) / 0.02**2 == pytest.approx(1.0, abs=0.05 + 5 * math.sqrt(2 / errors.size))


def test_a_fault_takes_the_scan():
    assert scan(faults=[Fault("drop_out", 0.0)]) is None
    longer = scan(faults=[Fault("offset", 0.0, value=0.5)])
    np.testing.assert_allclose(longer.ranges, scan().ranges + 0.5, atol=1e-5)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"columns": 0}, "columns must be a whole number >= 1"),
        ({"azimuth_range": (-4.0, 4.0)}, "azimuth_range must be a turn at most"),
    ],
)
def test_wrong_settings_are_explained(wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        LidarSpec(**wrong)
