"""Up and down by laser: floor, deck and ceiling."""

import math
from dataclasses import replace

import numpy as np
import pytest
from inspection_scenes import DECK, inspected, room, true_attitude
from sensor_scenes import turned

from tetherlab.contracts.errors import InputError
from tetherlab.sensors.range_finder import RangeFinder, RangeFinderSpec, ceiling_finder
from tetherlab.world import World

CLEAN = RangeFinderSpec(noise=0.0, offset_deviation=0.0, resolution=0.0)
CEILING = replace(ceiling_finder(), noise=0.0, offset_deviation=0.0, resolution=0.0, position=(0, 0, 0))


def read(spec=CLEAN, seed=1, attitude=true_attitude, **others):
    return RangeFinder(spec, "altimeter", seed, attitude).sample(inspected(**others))


def above_the_rover():
    world = room(DECK)
    world.place("deck", position=(0, 0, 0))
    return world


def test_the_autopilot_takes_the_tilt_out_over_a_level_floor():
    for tilt in (0.0, 0.2, -0.4):
        assert read(rotation=turned(x=tilt, y=0.1)).distance == pytest.approx(2.0, abs=1e-6)


def test_a_wrong_attitude_is_a_wrong_height():
    found = read(rotation=turned(x=0.3), attitude=lambda truth: np.eye(3))
    assert found.distance == pytest.approx(2.0 / math.cos(0.3), abs=1e-6)


def test_the_reading_jumps_at_the_edge_of_the_platform():
    """And with the drone tilted, by where the ray goes, not the drone."""
    world = above_the_rover()
    for x, height in ((0.49, 1.3), (0.51, 2.0)):
        assert read(world=world, attachment=np.array([x, 0, 2.0])).distance == pytest.approx(height, abs=1e-6)
    # tilted by 0.1 rad its foot is 1.3 tan(0.1) = 0.13 m behind
    tilted = {"rotation": turned(y=0.1), "world": world}
    assert read(attachment=np.array([0.62, 0, 2.0]), **tilted).distance == pytest.approx(1.3, abs=1e-6)
    assert read(attachment=np.array([0.66, 0, 2.0]), **tilted).distance == pytest.approx(2.0, abs=1e-6)


def test_the_deck_moves_with_the_rover():
    truth = inspected(world=above_the_rover())
    finder = RangeFinder(CLEAN, "altimeter", 1, true_attitude)
    assert finder.sample(truth).distance == pytest.approx(1.3, abs=1e-6)
    pose = truth.pose.copy()
    pose[3, 9:] = 0.0, 3.0, 0.2
    assert finder.sample(replace(truth, pose=pose)).distance == pytest.approx(2.0, abs=1e-6)
    over = replace(truth, pose=pose, attachment=np.array([0, 3.0, 2.0]))
    assert finder.sample(over).distance == pytest.approx(1.1, abs=1e-6)


def test_the_ceiling_is_seen_up_to_ten_metres():
    assert read(CEILING).distance == pytest.approx(4.0, abs=1e-6)
    nothing = read(CEILING, world=World.ground())
    assert math.isnan(nothing.distance) and nothing.saturated == ("altimeter",)


def test_what_is_nearer_than_its_range_reads_the_end_of_it():
    found = read(attachment=np.array([0, 0, 0.01]))
    assert found.distance == 0.05 and found.saturated == ("altimeter",)


def test_noise_steps_and_an_error_of_each_run():
    finder = RangeFinder(replace(CLEAN, noise=0.03), "altimeter", 1, true_attitude)
    values = [finder.sample(inspected(k / 50)).distance for k in range(2000)]
    assert np.var(values) / 0.03**2 == pytest.approx(1.0, abs=5 * math.sqrt(2 / 2000))
    assert read(
        replace(CLEAN, resolution=0.01), attachment=np.array([0, 0, 2.0149])
    ).distance == pytest.approx(2.01)
    offsets = [read(replace(CLEAN, offset_deviation=0.02), seed).distance - 2.0 for seed in range(300)]
    assert np.mean(np.square(offsets)) / 0.02**2 == pytest.approx(1.0, abs=5 * math.sqrt(2 / 300))


def test_the_sensor_may_sit_elsewhere():
    found = read(replace(CLEAN, position=(0, 0, 0.3)), rotation=turned(x=0.5))
    assert found.distance == pytest.approx(2.0 + 0.3 * math.cos(0.5), abs=1e-6)


def test_a_direction_is_a_unit_vector():
    with pytest.raises(InputError, match="direction must be a unit vector"):
        RangeFinderSpec(direction=(0.0, 0.0, -2.0))
