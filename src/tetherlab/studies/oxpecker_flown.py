"""The map of a face that the mission itself flew along, with the tether in the plant and not at rest."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import Readings
from tetherlab.estimation.odometry import OdometryFilter
from tetherlab.mapping import MapError, map_error
from tetherlab.scenario.inspection_map import of_face
from tetherlab.scenario.simulation import Simulation
from tetherlab.sim.observation import Observed
from tetherlab.studies.oxpecker_coverage import SIDE, simulate_face
from tetherlab.studies.rows import Row

Vector = NDArray[np.float64]
SEED = 0
FACE = "flown face of 20 x 8 m"


class Witness:
    """Sees where the drone truly was while the run's mapper listened, and what odometry alone would tell."""

    def __init__(self, simulation: Simulation) -> None:
        assert simulation.mapper is not None and simulation.pilot is not None
        self._mapper = simulation.mapper
        self.alone: OdometryFilter | None = None
        self.time: list[float] = []
        self.place: list[Vector] = []  # of the tether's attachment [m], (3,) each
        simulation.pilot.watchers.append(self)

    def __call__(self, readings: Readings, state: Observed) -> None:
        """At each step of the mission, after the mapper."""
        if not self._mapper.listens:
            return
        if self.alone is None:
            assert self._mapper.flight is not None
            self.alone = OdometryFilter(
                self._mapper.flight.filter.spec, state.attachment.copy(), state.uav.yaw
            )
        self.time.append(readings.time)
        self.place.append(state.attachment.copy())
        for sender, message in self._mapper.suite.messages:
            if sender == "odometry":
                self.alone.hear(sender, message)

    def at(self, times: Vector) -> Vector:
        """Where it truly was [m], (n, 3)."""
        place = np.array(self.place)
        return np.stack([np.interp(times, self.time, place[:, i]) for i in range(3)], axis=1)


class Flown(NamedTuple):
    """What a flight came to."""

    sentence: str  # of its end
    visual: float  # mean 3-D errors of VIO alone, fused in flight, after mapping [m]
    fused: float
    mapped: float
    error: MapError | None  # of the face's map; None: there is none


def fly(simulation: Simulation) -> Flown:
    """Run it, and compare its map and all ways to tell where the drone was with the truth."""
    witness = Witness(simulation)
    simulation.run()
    mine, mapper = simulation.scenario.world.mine, simulation.mapper
    assert mine is not None and mapper is not None
    flight, alone = mapper.flight, witness.alone
    if flight is None or alone is None or flight.map is None or flight.track is None:
        return Flown(simulation.outcome_sentence, math.nan, math.nan, math.nan, None)
    flown = witness.at(flight.track.time)
    ways = (alone.known_then(), flight.filter.known_then(), flight.map.corrected(flight.track))
    visual, fused, mapped = (float(np.linalg.norm(way - flown, axis=1).mean()) for way in ways)
    cloud = of_face(flight.map.cloud, mine.face(*SIDE.split()))
    error = map_error(cloud, simulation.scenario.world.distance)
    return Flown(simulation.outcome_sentence, visual, fused, mapped, error)


def run(add: Callable[[Row], None], say: Callable[[str], None] = lambda text: None, seed: int = SEED) -> None:
    """Fly, fuse, map, and measure."""
    say("a face is flown along by the mission, and mapped")
    found = fly(simulate_face(seed, map_it=True))
    rms, shape = (math.nan, math.nan) if found.error is None else (found.error.rms, found.error.rms_of_shape)
    values = {
        "visual odometry, 3-D mean error": ("m", found.visual),
        "fused odometry, 3-D mean error": ("m", found.fused),
        "after mapping, 3-D mean error": ("m", found.mapped),
        "visual over fused": ("", found.visual / found.fused),
        "map, RMS distance to the rock": ("m", rms),
        "map, the same, moved to fit best": ("m", shape),
    }
    for what, (unit, value) in values.items():
        add(Row("oxpecker", f"{FACE}: {what}", unit, None, value, found.sentence))
