"""One engine in one scene: how far it is from the reference, and how fast it is."""

import math
import time
from typing import NamedTuple

import numpy as np

from tetherlab.apps.bench.engine import Engine
from tetherlab.apps.bench.reference import SAMPLE, SHAPE_SAMPLES, Solution
from tetherlab.apps.bench.scene import Array, Scene, stations


class Errors(NamedTuple):
    """Against the reference, over the part of the run that was simulated."""

    shape: float  # mean distance of 41 stations, every 20 ms [% of length]; inf if the run broke
    tension: float  # rms of the tension at the moving end [N]
    noise: float  # of that tension once the end is at rest, in terms of white noise [N]; nan if not reached
    covered: float  # how much was simulated [s]


def measure_errors(engine: Engine, scene: Scene, truth: Solution, budget: float = 30.0) -> Errors:
    """Run once and compare; at most `budget` CPU seconds are spent."""
    positions, velocities = scene.path
    engine.reset()
    engine.advance(positions[1], velocities[1])  # compiles what needs compiling
    engine.reset()
    every = round(SAMPLE * SHAPE_SAMPLES / scene.chunk)
    shapes, pulls = [stations(engine.nodes())], []
    begin = time.process_time()
    for i in range(1, scene.chunk_count + 1):
        pulls.append(engine.advance(positions[i], velocities[i]))
        if i % every == 0:
            nodes = engine.nodes()
            if not np.isfinite(nodes).all() or np.abs(nodes).max() > 3.0 * scene.length:
                return Errors(math.inf, math.inf, math.nan, i * scene.chunk)
            shapes.append(stations(nodes))
            if time.process_time() - begin > budget:
                break
    covered = len(pulls) * scene.chunk
    distance = np.linalg.norm(np.array(shapes) - truth.stations[: len(shapes)], axis=2)
    difference = (
        np.linalg.norm(pulls, axis=1) - _true_tension(scene, truth, engine.pull_is_mean)[: len(pulls)]
    )
    rest = difference[round(scene.motion_time / scene.chunk) :]
    # White noise of unit strength has second differences of strength sqrt(6); a smooth error has nearly none.
    noise = float(np.diff(rest, 2).std()) / math.sqrt(6.0) if len(rest) > 50 else math.nan
    shape = 100.0 * float(distance.mean()) / scene.length
    return Errors(shape, float(np.sqrt(np.mean(difference**2))), noise, covered)


def _true_tension(scene: Scene, truth: Solution, mean: bool) -> Array:
    """Tension at the moving end for each chunk [N]: at its end, or its mean by Simpson's rule."""
    pull = truth.pull
    assert round(scene.chunk / SAMPLE) == 2
    pull = (pull[:-2:2] + 4.0 * pull[1:-1:2] + pull[2::2]) / 6.0 if mean else pull[2::2]
    return np.linalg.norm(pull, axis=1)


def measure_speed(engine: Engine, scene: Scene, budget: float = 5.0) -> float:
    """Simulated seconds per CPU second; after `budget` CPU seconds the rest of the run is not waited for."""
    engine.reset()
    positions, velocities = scene.path
    targets = list(zip(positions[1:], velocities[1:], strict=True))
    block = 20  # chunks between two looks at the clock, which is not free
    begin = time.process_time()
    for first in range(0, len(targets), block):
        for position, velocity in targets[first : first + block]:
            engine.advance(position, velocity)
        spent = time.process_time() - begin
        if spent > budget:
            break
    return min(first + block, len(targets)) * scene.chunk / spent
