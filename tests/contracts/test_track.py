"""A track thinned to some of its times says the same of them as the whole."""

import numpy as np

from tetherlab.contracts.track import Track


def chain(random, count=9, size=6):
    """Errors of a linear system with noise, seen from their end: (track, joint covariance of all)."""
    F = np.eye(size) + 0.1 * random.normal(size=(size, size))
    covariance = [np.diag(random.uniform(0.5, 1.0, size))]
    joint = np.zeros((count * size, count * size))
    for _ in range(count - 1):
        covariance.append(F @ covariance[-1] @ F.T + 0.1 * np.eye(size))
    gain = [covariance[k] @ F.T @ np.linalg.inv(covariance[k + 1]) for k in range(count - 1)]
    for i in range(count):
        for j in range(i, count):
            block = covariance[i] @ np.linalg.matrix_power(F, j - i).T
            joint[i * size : (i + 1) * size, j * size : (j + 1) * size] = block
            joint[j * size : (j + 1) * size, i * size : (i + 1) * size] = block.T
    time = np.arange(count, dtype=float)
    positions = random.normal(size=(count, 3))
    return Track(time, positions, 0.1 * time, np.array(covariance), np.array(gain)), joint


def test_gains_of_a_thinned_track_are_regressions_on_the_next_time_that_is_kept(random):
    track, joint = chain(random)
    chosen = np.array([0, 3, 4, 8])
    thin = track.thin(chosen)
    for k, (i, j) in enumerate([(0, 3), (3, 4), (4, 8)]):
        block = joint[6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
        assert np.allclose(thin.gain[k], block @ np.linalg.inv(track.covariance[j]))
    assert np.array_equal(thin.time, [0.0, 3.0, 4.0, 8.0])
    assert np.array_equal(thin.position, track.position[chosen])
    assert np.array_equal(thin.covariance, track.covariance[chosen])


def test_one_time_is_a_track_too(random):
    track, _ = chain(random)
    assert track.thin(np.array([5])).gain.shape == (0, 6, 6)


def test_between_its_times_a_track_is_straight(random):
    track, _ = chain(random)
    position, yaw = track.at(np.array([2.0, 2.25]))
    assert np.allclose(position[0], track.position[2])
    assert np.allclose(position[1], 0.75 * track.position[2] + 0.25 * track.position[3])
    assert np.allclose(yaw, [0.2, 0.225])
