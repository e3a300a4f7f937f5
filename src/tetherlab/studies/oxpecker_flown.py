"""The map of a face that the mission itself flew along, with the tether in the plant and not at rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import DepthImage, Readings
from tetherlab.estimation.catenary import CatenaryLocalizer
from tetherlab.estimation.odometry import OdometryFilter, OdometrySpec
from tetherlab.estimation.sensing import Sensing
from tetherlab.mapping import build_map, map_error
from tetherlab.missions.inspection import APPROACH, MAP, Inspection
from tetherlab.scenario.simulation import Simulation
from tetherlab.sim.observation import Observed
from tetherlab.sim.senses import InspectionSenses
from tetherlab.studies.oxpecker_coverage import SIDE, simulate_face
from tetherlab.studies.oxpecker_mapping import of_face
from tetherlab.studies.oxpecker_survey import TETHER
from tetherlab.studies.rows import Row

Vector = NDArray[np.float64]
SEED = 0


class Recorder:
    """Keeps what all sensors said from take-off to the end of the sweep, and where the drone truly was."""

    def __init__(self, simulation: Simulation) -> None:
        pilot = simulation.pilot
        assert pilot is not None
        assert isinstance(pilot.autonomy, Inspection) and isinstance(pilot.senses, InspectionSenses)
        self._machine, self._suite = pilot.autonomy.machine, pilot.senses.suite
        self.messages: list[tuple[str, Any]] = []
        self.images: list[DepthImage] = []
        self.time: list[float] = []
        self.place: list[Vector] = []  # of the tether's attachment [m], (3,) each
        self.yaw = self.floor = 0.0  # at the start [rad], [m]
        self.base = np.zeros(3)  # where the tether leaves the rover [m]
        pilot.watchers.append(self)

    def __call__(self, readings: Readings, state: Observed) -> None:
        """At each step of the mission."""
        if self._machine.state not in (APPROACH, MAP):
            return
        if not self.time:
            self.yaw, self.floor, self.base = state.uav.yaw, float(state.ugv_origin[2]), state.exit.copy()
        self.time.append(readings.time)
        self.place.append(state.attachment.copy())
        self.messages += self._suite.messages
        if self._machine.state == MAP:
            self.images += [m for _, m in self._suite.messages if isinstance(m, DepthImage)]

    def fuse(self, sensing: Sensing, *, alone: bool = False) -> OdometryFilter:
        """Odometry held by all other sensors, or alone; it starts where the rover knows to stand."""
        x, y, z = self.base.tolist()
        spec = OdometrySpec(base=(x, y, z), floor=self.floor)
        filter = OdometryFilter(spec, self.place[0], self.yaw, CatenaryLocalizer(sensing))
        for sender, message in self.messages:
            if not alone or sender == "odometry":
                filter.hear(sender, message)
        return filter

    def at(self, times: Vector) -> Vector:
        """Where it truly was [m], (n, 3)."""
        place = np.array(self.place)
        return np.stack([np.interp(times, self.time, place[:, i]) for i in range(3)], axis=1)


def run(add: Callable[[Row], None], say: Callable[[str], None] = lambda text: None, seed: int = SEED) -> None:
    """Fly, fuse, map, and measure."""
    say("a face is flown along by the mission, and mapped")
    simulation = simulate_face(seed)
    recorder = Recorder(simulation)
    simulation.run()
    mine = simulation.scenario.world.mine
    assert mine is not None
    filter = recorder.fuse(TETHER)
    track = filter.track()
    found = build_map(recorder.images, track)
    flown = recorder.at(track.time)
    ways = {
        "visual odometry": recorder.fuse(TETHER, alone=True).known_then(),
        "fused odometry": filter.known_then(),
        "after mapping": found.corrected(track),
    }
    for name, way in ways.items():
        error = float(np.linalg.norm(way - flown, axis=1).mean())
        add(Row("oxpecker", f"flown face of 20 x 8 m: {name}, 3-D mean error", "m", None, error))
    cloud = of_face(found.cloud, mine.face(*SIDE.split()))
    rms = map_error(cloud, simulation.scenario.world.distance).rms
    add(Row("oxpecker", "flown face of 20 x 8 m: map, RMS distance to the rock", "m", None, rms))
