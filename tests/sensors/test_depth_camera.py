"""Pictures of things whose depth is known, with and without errors."""

import math
from dataclasses import replace

import numpy as np
import pytest
from inspection_scenes import DECK, inspected, room, true_attitude
from sensor_scenes import turned

from tetherlab.contracts.errors import InputError
from tetherlab.sensors.depth_camera import DepthCamera, DepthCameraSpec
from tetherlab.sensors.faults import Fault
from tetherlab.world import World
from tetherlab.world import shapes as S

CLEAN = DepthCameraSpec(
    noise=0.0, noise_per_metre=0.0, random_loss=0.0, edge_loss=0.0, resolution=0.0, reflectivity=0.95,
    position=(0.0, 0.0, 0.0), rows=48, columns=64,
)  # fmt: skip
WALL = World([S.Box(lower=(3, -50, -50), upper=(4, 50, 50))])


def picture(spec=CLEAN, seed=1, faults=(), **others):
    camera = DepthCamera(spec, "depth_camera", seed, true_attitude)
    for fault in faults:
        camera.inject(fault)
    return camera.sample(inspected(**others))


def wall_at(distance):
    return World([S.Box(lower=(distance, -50, -50), upper=(distance + 1, 50, 50))])


def test_a_wall_straight_ahead_is_equally_deep_everywhere():
    image = picture(world=WALL)
    assert image.depth.shape == (48, 64) and image.depth.dtype == np.float32
    np.testing.assert_allclose(image.depth, 3.0, atol=1e-6)
    assert math.degrees(2 * math.atan(image.tan_half_width)) == pytest.approx(70)
    assert math.degrees(2 * math.atan(image.tan_half_height)) == pytest.approx(55)


def test_pixels_point_as_the_contract_says(random):
    """Depth, coordinates of pixels and the level attitude give points of the wall, whatever the attitude."""
    R = turned(0.2, -0.15, 0.4)
    mounted = tuple(map(tuple, turned(0.0, 0.1, 0.2)))
    image = picture(replace(CLEAN, rotation=mounted, position=(0.1, 0.2, 0.3)), world=WALL, rotation=R)
    rows, columns = image.depth.shape
    v, u = 1 - (2 * np.arange(rows) + 1) / rows, 1 - (2 * np.arange(columns) + 1) / columns
    rays = np.ones((rows, columns, 3))
    rays[:, :, 1], rays[:, :, 2] = u * image.tan_half_width, (v * image.tan_half_height)[:, None]
    points_H = (rays * image.depth[:, :, None]) @ image.rotation.T
    points_W = points_H @ turned(z=0.4).T + [0, 0, 2] + R @ [0.1, 0.2, 0.3]
    seen = np.isfinite(image.depth)
    assert seen.mean() > 0.7
    np.testing.assert_allclose(points_W[seen][:, 0], 3.0, atol=1e-5)


@pytest.mark.parametrize(
    ("center", "row", "column"), [((2, 1, 2), 23.5, 8.6), ((2, -1, 2), 23.5, 54.4), ((2, 0, 2.6), 9.7, 31.5)]
)
def test_left_is_left_and_up_is_up(center, row, column):
    depth = picture(world=World([S.Sphere(center=center, radius=0.2)])).depth
    found = np.argwhere(np.isfinite(depth)).mean(axis=0)
    np.testing.assert_allclose(found, (row, column), atol=0.6)


def test_nothing_is_seen_out_of_range():
    assert np.isnan(picture(world=World([])).depth).all()
    assert np.isnan(picture(world=wall_at(0.1)).depth).all()
    depth = picture(replace(CLEAN, incidence_max=1.5), world=wall_at(8.0)).depth
    seen = np.isfinite(depth)
    assert seen[24, 32] and not seen[0, 0]  # in the corner it is more than 9 m


@pytest.mark.parametrize("distance", [1.0, 5.0])
def test_noise_grows_with_range_as_specified(distance):
    spec = replace(CLEAN, noise=0.001, noise_per_metre=0.002, width_angle=0.05, height_angle=0.05)
    errors = picture(spec, world=wall_at(distance)).depth - distance
    deviation = 0.001 + 0.002 * distance
    assert np.mean(errors) == pytest.approx(0.0, abs=5 * deviation / math.sqrt(errors.size))
    assert np.var(errors) / deviation**2 == pytest.approx(1.0, abs=5 * math.sqrt(2 / errors.size))


def test_noise_grows_with_incidence():
    spec = replace(CLEAN, noise=0.002, width_angle=0.05, height_angle=0.05)
    truth = picture(replace(spec, noise=0.0), world=WALL, rotation=turned(z=1.0)).depth
    errors = picture(spec, world=WALL, rotation=turned(z=1.0)).depth - truth
    assert np.var(errors) / (0.002 / math.cos(1.0)) ** 2 == pytest.approx(
        1.0, abs=5 * math.sqrt(2 / errors.size)
    )


def test_a_dark_wall_is_seen_less_far_and_an_oblique_one_too():
    """The echo goes as reflectivity cos/range²: 9 m for 95 %, half of it for a quarter of that."""
    narrow = replace(CLEAN, width_angle=0.001, height_angle=0.001, reflectivity=0.95 / 4)
    assert np.isfinite(picture(narrow, world=wall_at(4.45)).depth).all()
    assert np.isnan(picture(narrow, world=wall_at(4.55)).depth).all()
    bright, turn = replace(narrow, reflectivity=0.95), 1.3
    limit = 9.0 * math.sqrt(math.cos(turn))  # range along the ray
    for share, seen in ((0.98, True), (1.02, False)):
        depth = picture(bright, world=wall_at(share * limit * math.cos(turn)), rotation=turned(z=turn)).depth
        assert np.isfinite(depth).all() == seen and np.isnan(depth).any() != seen


def test_grazing_rays_are_lost():
    spec = replace(CLEAN, incidence_max=math.radians(60), height_angle=0.1)
    depth = picture(spec, world=wall_at(1.0), rotation=turned(z=0.7)).depth[24]
    azimuth = np.arctan(sides(64) * math.tan(math.radians(35))) + 0.7
    np.testing.assert_array_equal(np.isfinite(depth), np.abs(azimuth) < math.radians(60))


def sides(count):
    return 1 - (2 * np.arange(count) + 1) / count


def test_losses_have_the_specified_shares():
    image = picture(replace(CLEAN, random_loss=0.1), world=WALL)
    count = image.depth.size
    assert np.isnan(image.depth).mean() == pytest.approx(0.1, abs=5 * math.sqrt(0.09 / count))
    # half of the rays beside an edge
    post = World([S.Box(lower=(2, -0.3, -50), upper=(2.1, 0.3, 50)), *WALL.shapes])
    whole, torn = (picture(replace(CLEAN, edge_loss=loss), world=post).depth for loss in (0.0, 0.5))
    jump = np.abs(np.diff(whole, axis=1)) > 0.5
    beside = np.pad(jump, ((0, 0), (1, 0))) | np.pad(jump, ((0, 0), (0, 1)))
    assert np.isfinite(whole).all() and beside.sum() > 100
    assert np.isnan(torn[beside]).mean() == pytest.approx(0.5, abs=5 * math.sqrt(0.25 / beside.sum()))
    assert np.isfinite(torn[~beside]).all()


def test_ranges_are_read_in_whole_steps():
    spec = replace(CLEAN, resolution=0.05, width_angle=0.01, height_angle=0.01)
    np.testing.assert_allclose(picture(spec, world=wall_at(3.02)).depth, 3.0, atol=1e-3)


def test_the_deck_is_seen_where_the_rover_has_carried_it():
    world = room(DECK)
    world.place("deck", position=(0, 0, 0))
    down = replace(CLEAN, rotation=tuple(map(tuple, turned(y=math.pi / 2))))
    here = inspected(world=world)
    camera = DepthCamera(down, "depth_camera", 1, true_attitude)
    assert camera.sample(here).depth[24, 32] == pytest.approx(1.3, abs=1e-5)
    pose = here.pose.copy()
    pose[3, 9:] = 4.0, 0.0, 0.0
    assert camera.sample(replace(here, pose=pose)).depth[24, 32] == pytest.approx(2.0, abs=1e-5)


class TestFaults:
    SPEC = replace(CLEAN, noise=0.01)

    def pictures(self, fault=None):
        camera = DepthCamera(self.SPEC, "depth_camera", 1, true_attitude)
        if fault is not None:
            camera.inject(fault)
        return [camera.sample(inspected(t, world=wall_at(3.0 + t))) for t in (0.0, 1.0, 2.0)]

    def test_a_stuck_picture_stays_and_the_next_is_as_without_the_fault(self):
        sound, faulty = self.pictures(), self.pictures(Fault("stuck", 1.0, 2.0))
        np.testing.assert_array_equal(faulty[1].depth, sound[0].depth)
        np.testing.assert_array_equal(faulty[2].depth, sound[2].depth)

    def test_no_picture_comes_while_it_drops_out(self):
        sound, faulty = self.pictures(), self.pictures(Fault("drop_out", 1.0, 2.0))
        assert faulty[1] is None
        np.testing.assert_array_equal(faulty[2].depth, sound[2].depth)

    def test_an_offset_lengthens_all_rays(self):
        sound, faulty = self.pictures(), self.pictures(Fault("offset", 1.0, 2.0, 0.5))
        added = faulty[1].depth - sound[1].depth
        assert added[24, 32] == pytest.approx(0.5, abs=1e-3)
        np.testing.assert_array_equal(faulty[2].depth, sound[2].depth)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"rows": 1}, "rows must be a whole number >= 2, got 1"),
        ({"width_angle": 4.0}, "width_angle must be between 0 and π"),
        ({"edge_loss": 1.5}, "edge_loss must be a share from 0 to 1, got 1.5"),
        ({"incidence_max": 2.0}, "incidence_max must be between 0 and a right angle"),
        ({"range": (9.0, 1.0)}, "range must be"),
        ({"colums": 64}, "Did you mean 'columns'"),
    ],
)
def test_wrong_settings_are_explained(wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        DepthCameraSpec(**wrong)
