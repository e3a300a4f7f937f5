"""Sensors that are a little wrong, always in the same way: learn what the catenary leaves, and correct it.

Flights with known positions teach the correction; one more, between them in size, height and tension, judges
it. Far from all flights the estimator says so and leaves the catenary alone.
"""

import itertools
from pathlib import Path

import numpy as np

from tetherlab.estimation import CatenaryLocalizer, Measurement, locate_many
from tetherlab.estimation.residual import LearnedResidual
from tetherlab.estimation.residual_training import train_residual

NOISE = (0.001, 0.00017, 0.0032, 0.0087)  # of length [m], azimuth, elevations at base and end [rad]
RANDOM = 4


def main(show=True):
    """Train, fly, and return errors [m] without and with the correction, and the answer far away."""
    random = np.random.default_rng(RANDOM)
    plans = itertools.product((1.0, 1.5, 2.0), (2.0, 2.7, 3.5), (2.0, 5.0))  # size, height [m], tension [N]
    flights = [fly(*plan, random) for plan in plans]
    inputs = np.vstack([residual_rows(angles, raw) for angles, _, raw in flights])
    errors = np.vstack([truth - raw for _, truth, raw in flights])
    names = np.repeat(np.arange(len(flights)), [len(raw) for _, _, raw in flights])
    gp = train_residual(inputs, errors, flights=names, inducing=60)

    estimator = LearnedResidual(CatenaryLocalizer(), gp)
    angles, truth, raw = fly(1.7, 3.1, 3.0, random)
    answers = [estimator.update(Measurement.from_angles(*row)) for row in angles]
    corrected = np.array([answer.position for answer in answers])
    far = estimator.update(Measurement.from_angles(30.0, 0.0, 0.5, 0.7))
    off, left = np.linalg.norm(truth - raw, axis=1), np.linalg.norm(truth - corrected, axis=1)
    if show:
        print(f"root mean square error: {rms(off):.3f} m alone, {rms(left):.3f} m corrected")
        print("far away:", far.status.value)
        print("picture:", draw(off, left, Path("runs")))
    return off, left, far


def fly(size, height, tension, random, count=150):
    """(sensed length and angles (n, 4), true positions (n, 3), positions by the catenary (n, 3))."""
    turn = np.linspace(0.0, 2.0 * np.pi, count)
    radius = size * (1.0 + 0.3 * np.cos(3.0 * turn))
    length, slope = np.hypot(radius, height), np.arctan2(height, radius)
    half = 0.5 * 0.022 * 9.80665 * length * np.cos(slope) / tension  # the ends' slopes against the middle's
    clean = np.column_stack((length, np.arctan2(np.sin(turn), np.cos(turn)), slope - half, slope + half))
    bias = 0.03 * np.column_stack((0 * turn, np.sin(turn), np.cos(turn - 1.0), np.sin(turn) + np.cos(slope)))
    angles = clean + bias + random.normal(size=clean.shape) * NOISE
    return angles, locate_many(clean).position, locate_many(angles).position


def residual_rows(angles, raw):
    """Inputs of the correction, (n, 7): position, azimuth, elevations, length."""
    return np.column_stack((raw, angles[:, 1:], angles[:, 0]))


def rms(distances):
    """Root mean square."""
    return float(np.sqrt(np.mean(distances**2)))


def draw(off, left, folder):
    """Both errors over the flight."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 3.6), layout="constrained")
    axes.plot(off, color="0.6", label="catenary alone")
    axes.plot(left, color="#c05a1a", label="with what was learned")
    axes.set(xlabel="sample", ylabel="error [m]", ylim=(0, None))
    axes.legend(frameon=False)
    folder.mkdir(exist_ok=True)
    figure.savefig(folder / "learned_residual.png", dpi=110)
    plt.close(figure)
    return folder / "learned_residual.png"


def check(result):
    """Most of the error is gone, and what was never seen is not corrected."""
    off, left, far = result
    assert rms(left) < 0.5 * rms(off)
    assert far.status.name == "OUTSIDE_TRAINING" and far.status.usable


if __name__ == "__main__":
    check(main())
