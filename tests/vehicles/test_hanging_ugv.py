"""A pendulum of variable length, against closed forms and Newton's law in Cartesian coordinates."""

import math

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.vehicles.hanging import GRAVITY, Hanging, swing


def test_a_change_of_hinge_keeps_position_and_velocity(random):
    for _ in range(50):
        hinge, other, position, velocity = random.uniform(-3.0, 3.0, (4, 2))
        hanging = Hanging.of(hinge, position, velocity)
        for seen in (hanging, hanging.about(other), hanging.about(other).about(hinge)):
            assert seen.position == pytest.approx(position, abs=1e-9)
            assert seen.velocity == pytest.approx(velocity, abs=1e-9)


def test_across_the_tether_only_gravity_accelerates():
    """Newton in Cartesian coordinates: second differences, less gravity, point at the hinge."""
    h = 1e-3
    states = swing(
        Hanging((1.0, 2.0), 2.0, 0.8, 0.0, -0.5), lambda t, s: 0.3 * math.cos(3.0 * t), 4.0, step=h
    )
    p = np.array([state.position for state in states])
    a = (p[2:] - 2.0 * p[1:-1] + p[:-2]) / h**2 + (0.0, GRAVITY)
    line = p[1:-1] - (1.0, 2.0)
    across = (a[:, 0] * line[:, 1] - a[:, 1] * line[:, 0]) / np.linalg.norm(line, axis=1)
    assert np.abs(across).max() < 0.01


def test_a_held_length_keeps_the_energy_and_has_the_period_of_the_closed_form():
    amplitude, length = 1.0, 1.5
    states = swing(Hanging((0.0, 0.0), length, amplitude), lambda t, s: 0.0, 10.0)
    energies = [state.swing_energy() for state in states]
    assert np.ptp(energies) < 1e-9
    assert states[777].amplitude() == pytest.approx(amplitude)
    angles = np.array([state.angle for state in states])
    down = np.nonzero((angles[:-1] > 0.0) & (angles[1:] <= 0.0))[0]
    crossings = down + angles[down] / (angles[down] - angles[down + 1])
    mean, other = 1.0, math.cos(0.5 * amplitude)  # the period by the arithmetic-geometric mean
    for _ in range(20):
        mean, other = 0.5 * (mean + other), math.sqrt(mean * other)
    wanted = 2.0 * math.pi * math.sqrt(length / GRAVITY) / mean
    assert np.diff(crossings).mean() * 1e-3 == pytest.approx(wanted, rel=1e-6)


def test_the_grip_says_how_energy_changes():
    rate = 0.25
    for angle, turning in ((0.0, 1.0), (0.7, 0.0), (-0.5, 0.8)):
        start = Hanging((0.0, 0.0), 2.0, angle, rate, turning)
        end = swing(start, lambda t, s: rate, 1e-4, step=1e-4)[-1]
        slope = (end.swing_energy() - start.swing_energy()) / 1e-4
        assert slope == pytest.approx(-rate * start.grip(), abs=2e-3)


def test_a_swing_in_space_has_the_energy_of_the_planar_one(random):
    for _ in range(20):
        position, velocity = random.uniform(-2.0, -0.5, 2), random.uniform(-1.0, 1.0, 2)
        planar = Hanging.of((0.0, 0.0), position, velocity)
        turn = random.uniform(0.0, 2.0 * math.pi)

        def about_z(v, turn=turn):
            return np.array([v[0] * math.cos(turn), v[0] * math.sin(turn), v[1]])

        spatial = Hanging.in_space((0.0, 0.0, 0.0), about_z(position), about_z(velocity))
        assert spatial.swing_energy() == pytest.approx(planar.swing_energy())
        assert spatial.grip() == pytest.approx(planar.grip())
        assert spatial.length_rate == pytest.approx(planar.length_rate)


def test_no_pendulum_without_a_length():
    with pytest.raises(tl.InputError, match="a pendulum has a length"):
        Hanging.of((1.0, 1.0), (1.0, 1.0))
