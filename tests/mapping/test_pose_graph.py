"""The pose graph: what odometry and registrations say together, and who is not believed."""

import numpy as np
import pytest
from cosine_wall import track_of
from scipy.spatial.transform import Rotation

from tetherlab.mapping.pose_graph import BELIEVED, Edge, solve_graph
from tetherlab.mapping.registration import Registration

COUNT = 30
TIGHT = np.diag([0.002**2] * 3 + [0.004**2] * 3)


def flown(random, drift=True):
    """A true path with turns, and what odometry says of it: (track, positions, yaws)."""
    time = np.arange(COUNT, dtype=float)
    position = np.stack([np.sin(0.2 * time), 0.3 * time, 0.1 * np.cos(time)], axis=1)
    yaw = 0.3 * np.sin(0.5 * time)
    walk = np.cumsum(random.normal(size=(COUNT, 4)) * [0.02, 0.02, 0.02, 1e-3], axis=0) * drift
    return track_of(time, position + walk[:, :3], yaw + walk[:, 3]), position, yaw


def edge(first, second, position, yaw, noise=None, shift=(0.0, 0.0, 0.0)):
    """The true relative pose, with noise of TIGHT and a gross error."""
    R = Rotation.from_euler("z", yaw[first])
    transform = np.eye(4)
    transform[:3, :3] = (R.inv() * Rotation.from_euler("z", yaw[second])).as_matrix()
    transform[:3, 3] = R.inv().apply(position[second] - position[first]) + shift
    if noise is not None:
        transform[:3, :3] = Rotation.from_rotvec(0.002 * noise[:3]).as_matrix() @ transform[:3, :3]
        transform[:3, 3] += 0.004 * noise[3:]
    return Edge(first, second, Registration(transform, TIGHT, 0.005, 0.8))


def test_without_registrations_odometry_stays_as_it_is(random):
    track, _, _ = flown(random)
    solution = solve_graph(track, [], 0.005)
    assert np.array_equal(solution.position, track.position)
    assert np.allclose(solution.rotation.as_euler("ZYX")[:, 0], track.yaw)


def test_registrations_that_agree_with_odometry_change_nothing(random):
    track, position, yaw = flown(random, drift=False)
    edges = [edge(i, i + 5, position, yaw) for i in range(COUNT - 5)]
    solution = solve_graph(track, edges, 0.005)
    assert np.allclose(solution.position, position, atol=1e-9)
    assert np.allclose(solution.weights, 1.0)


def test_wrong_registrations_are_forgotten_and_right_ones_mend_the_drift(random):
    track, position, yaw = flown(random)
    pairs = [(i, i + step) for step in (1, 2, 7) for i in range(COUNT - step)]
    right = [edge(i, j, position, yaw, random.normal(size=6)) for i, j in pairs]
    wrong = [
        edge(i, i + 9, position, yaw, shift=random.choice([-1.0, 1.0], 3) * random.uniform(0.15, 0.5, 3))
        for i in range(0, 20, 2)
    ]
    solution = solve_graph(track, right + wrong, 0.005)
    assert (solution.weights[len(right) :] < BELIEVED).all()
    assert np.mean(solution.weights[: len(right)] > BELIEVED) > 0.95

    def bent(places):
        away = places - position
        return float(np.sqrt(np.mean((away - away[0]) ** 2)))

    assert bent(solution.position) < 0.35 * bent(track.position)


def test_a_single_loop_moves_all_places_as_conditional_expectation_says():
    """Of a walk: once its end is known, each place moves by its covariance with that."""
    time = np.arange(11, dtype=float)
    position, yaw = np.zeros((11, 3)), np.zeros(11)
    track = track_of(time, position, yaw, walk=0.02, start=1e-6)
    shifted = np.zeros((11, 3))
    shifted[-1, 1] = 0.01
    seen = edge(0, 10, shifted, yaw)
    solution = solve_graph(track, [seen], 0.005)
    variance = 10 * 0.02**2
    full = 0.01 * variance / (variance + 0.004**2)
    assert np.allclose(solution.position[:, 1], full * time / 10.0, atol=1e-5)


def test_tilt_is_found_by_those_who_see_the_same(random):
    """Keyframe 3 leans: its neighbours say so, and it is mended within what an autopilot may err by."""
    track, position, yaw = flown(random, drift=False)
    lean = Rotation.from_rotvec([0.008, 0.0, 0.0])
    edges = []
    for other in (1, 2, 4, 5):
        plain = edge(other, 3, position, yaw)
        R = Rotation.from_euler("z", yaw[other])
        transform = plain.measured.transform.copy()
        transform[:3, :3] = (R.inv() * lean * Rotation.from_euler("z", yaw[3])).as_matrix()
        edges.append(plain._replace(measured=plain.measured._replace(transform=transform)))
    found = solve_graph(track, edges, 0.01)
    turned = (found.rotation[3] * Rotation.from_euler("z", yaw[3]).inv()).as_rotvec()
    assert turned[0] == pytest.approx(0.008, rel=0.25)
