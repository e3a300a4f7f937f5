"""A map of a wall from pictures and a track that drifts."""

import numpy as np
import pytest
from cosine_wall import distance, look, track_of
from scipy.spatial.transform import Rotation

from tetherlab.contracts.errors import InputError
from tetherlab.mapping import MapSpec, build_map, map_error

SPEC = MapSpec(camera=(0.0, 0.0, 0.0))


def fly(random, drift):
    """Two rows along 3 m, one above the other: pictures, the true path, what odometry says of it."""
    along = np.linspace(0.5, 3.5, 45)
    places = [np.array([-1.4, y, 1.0]) for y in along] + [np.array([-1.4, y, 1.7]) for y in along[::-1]]
    time, position = 0.2 * np.arange(len(places)), np.array(places)
    yaw = 0.05 * np.sin(time)
    images = [
        look(t, place, y, noise=0.003, random=random) for t, place, y in zip(time, position, yaw, strict=True)
    ]
    # a velocity that is wrong all the time: the second row comes back shifted
    away = drift * time[:, None] / time[-1]
    return images, position, track_of(time, position + away, yaw, walk=0.06)


@pytest.fixture(scope="module")
def drifted():
    random = np.random.default_rng(5)
    images, position, track = fly(random, np.array([0.06, 0.2, -0.12]))
    return images, position, track, build_map(images, track, SPEC)


def test_places_seen_again_take_the_drift_away(drifted):
    _, position, track, found = drifted
    true = position[np.searchsorted(track.time, found.track.time - 1e-9)]

    def bent(places):
        away = places - true
        return float(np.sqrt(np.mean(np.sum((away - away.mean(axis=0)) ** 2, axis=1))))

    assert found.loops >= 5
    assert bent(found.position) < 0.25 * bent(found.track.position)
    assert bent(found.position) < 0.02


def test_the_map_lies_on_the_wall(drifted):
    *_, found = drifted
    error = map_error(found.cloud, distance)
    assert error.rms < 0.02 and error.largest < 0.05
    assert np.isfinite(error.distances).all()
    assert found.cloud.counts.sum() == sum(np.isfinite(image.depth).sum() for image in drifted[0])


def test_a_good_map_in_the_wrong_place_has_the_right_shape(drifted):
    *_, found = drifted
    moved = np.eye(4)
    moved[:3, :3] = Rotation.from_rotvec([0.0, 0.01, 0.02]).as_matrix()
    moved[:3, 3] = (0.08, 0.03, -0.02)
    plain, error = map_error(found.cloud, distance), map_error(found.cloud.moved(moved), distance)
    assert error.rms > 0.06
    assert plain.rms_of_shape <= plain.rms
    assert error.rms_of_shape == pytest.approx(plain.rms_of_shape, rel=0.05)


def test_normals_look_at_the_drone(drifted):
    *_, found = drifted
    assert np.mean(found.cloud.normals[:, 0] < 0.0) > 0.999


def test_the_whole_flight_is_corrected_where_keyframes_are(drifted):
    _, _, track, found = drifted
    corrected = found.corrected(track)
    samples = np.searchsorted(track.time, found.track.time - 1e-9)
    assert np.allclose(corrected[samples], found.position, atol=1e-9)


def test_a_flight_without_pictures_is_refused(drifted):
    _, _, track, _ = drifted
    with pytest.raises(InputError, match="there is no map"):
        build_map([], track)
    dark = look(0.1, np.array([-1.4, 1.0, 1.0]), 0.0)
    with pytest.raises(InputError, match="there is no map"):
        build_map([dark._replace(depth=np.full_like(dark.depth, np.nan))], track)


def test_a_map_far_from_the_truth_says_so(drifted):
    *_, found = drifted
    with pytest.raises(InputError, match="where the surface is known"):
        map_error(found.cloud, lambda points: np.full(len(points), np.nan))


@pytest.mark.parametrize("wrong", [{"resolution": 0.0}, {"camera": (0.0, 0.0)}, {"resolutoin": 0.1}])
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(InputError):
        MapSpec(**wrong)
