"""How well an unknown wall is covered: flights along random faces of mines, judged by the true face."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from tetherlab.contracts.autonomy import Readings
from tetherlab.contracts.outcome import Outcome
from tetherlab.metrics.wall_coverage import Face, WallCoverage
from tetherlab.missions.inspection import MAP, Inspection
from tetherlab.missions.map_wall import Leg, MapWall
from tetherlab.report.coverage_figure import draw_coverage
from tetherlab.scenario.inspection_record import camera_points
from tetherlab.scenario.simulation import Simulation
from tetherlab.sim.observation import Observed
from tetherlab.sim.senses import InspectionSenses
from tetherlab.studies.rows import Row
from tetherlab.studies.workers import on_all_cores

Vector = NDArray[np.float64]
FACE = (20.0, 8.0)  # width and height [m]
COUNT = 20  # mines
DISTANCE = 1.5  # wanted of the wall [m]
SIDE = "pillar_1 south"
FINE = 0.05  # between points of the true surface [m]


@dataclass(frozen=True)
class Covered:
    """What a flight came to."""

    seed: int
    outcome: Outcome | None
    sentence: str
    duration: float  # of the sweep [s]
    rows: int
    seen_share: float
    overlap_min: float  # of the rows
    hole_max: float  # [m^2]
    distance_off: float  # from the wanted one, largest while it sweeps [m]
    coverage: WallCoverage


class Witness:
    """Watches a flight with the truth: which cells each picture shows, and how far the wall is."""

    def __init__(self, simulation: Simulation, coverage: WallCoverage, wall: KDTree) -> None:
        """wall: points of its true surface."""
        pilot = simulation.pilot
        assert pilot is not None and isinstance(pilot.autonomy, Inspection)
        self.coverage, self.wall = coverage, wall
        self._machine = pilot.autonomy.machine
        self._task = self._machine.states[MAP].task
        senses = pilot.senses
        assert isinstance(senses, InspectionSenses) and senses.suite.spec.depth_camera is not None
        self._camera = np.array(senses.suite.spec.depth_camera.position)
        self._poses: dict[float, tuple[Vector, Vector, int]] = {}
        self._seen = -math.inf
        self.off: list[float] = []  # of the distance, while it sweeps [m]
        self.times: list[float] = []  # of the sweep [s]
        pilot.watchers.append(self)

    def __call__(self, readings: Readings, state: Observed) -> None:
        """At each step of the mission."""
        if self._machine.state != MAP:
            return
        task = self._task
        assert isinstance(task, MapWall)
        place = state.attachment + state.uav.rotation @ self._camera
        sweeps = task.leg is Leg.SWEEP
        self._poses[readings.time] = place, state.uav.rotation.copy(), task.row if sweeps else -1
        self.times.append(readings.time)
        if sweeps:
            self.off.append(abs(float(self.wall.query(place)[0]) - DISTANCE))
        image = readings.depth
        if image is not None and image.time > self._seen and image.time in self._poses:
            self._seen = image.time
            where, rotation, row = self._poses[image.time]
            if row >= 0:
                self.coverage.add(where + camera_points(image) @ rotation.T, row)
            self._poses = {time: pose for time, pose in self._poses.items() if time > image.time}


def simulate_face(seed: int, *, map_it: bool = False) -> Simulation:
    """The mission before one face of a random mine."""
    width, height = FACE
    mine = {"seed": seed, "pillar_m": [width, 12.0], "height_m": height, "entry_m": 12.0, "friction": 0.8}
    return Simulation("oxpecker", {"world": {"mine": mine}, "inspection.map": map_it}, seed=seed)


def cover(seed: int) -> Covered:
    """Map one face of a random mine."""
    simulation = simulate_face(seed)
    found = simulation.scenario.world.mine
    assert found is not None
    side = found.face(*SIDE.split())
    face = Face(side.corner, side.along, side.up, side.width, side.height)
    along, up = np.meshgrid(np.arange(0.0, side.width, FINE), np.arange(0.0, side.height, FINE))
    witness = Witness(simulation, WallCoverage(face), KDTree(side.points(along, up).reshape(-1, 3)))
    simulation.run()
    overlap, holes = witness.coverage.overlap, witness.coverage.holes()
    task = witness._task
    assert isinstance(task, MapWall)
    return Covered(
        seed=seed,
        outcome=simulation.outcome,
        sentence=simulation.outcome_sentence,
        duration=witness.times[-1] - witness.times[0] if witness.times else 0.0,
        rows=len(task.rows),
        seen_share=witness.coverage.seen_share,
        overlap_min=float(overlap.min()) if len(overlap) else 0.0,
        hole_max=holes[0].area if holes else 0.0,
        distance_off=max(witness.off, default=math.nan),
        coverage=witness.coverage,
    )


def run(
    add: Callable[[Row], None],
    say: Callable[[str], None] = lambda text: None,
    picture: Callable[[str, Any], None] = lambda name, figure: None,
    count: int = COUNT,
) -> None:
    """As many mines."""
    found: list[Covered] = []
    say(f"{count} faces are mapped")
    for _, flight in on_all_cores(cover, range(count)):
        found.append(flight)
        say(f"{len(found)} of {count} faces are mapped; the last one: {flight.sentence}")
    for row in rows(found):
        add(row)
    picture("coverage", draw_coverage(found[0].coverage))


def rows(found: Sequence[Covered]) -> list[Row]:
    """What the flights came to."""
    completed = sum(flight.outcome is Outcome.COMPLETED for flight in found)
    failed = "; ".join(flight.sentence for flight in found if flight.outcome is not Outcome.COMPLETED)
    values = {
        "completed": ("", float(completed)),
        "seen, least": ("%", 100.0 * min(flight.seen_share for flight in found)),
        "overlap of rows, least": ("%", 100.0 * min(flight.overlap_min for flight in found)),
        "largest hole": ("m^2", max(flight.hole_max for flight in found)),
        "distance to the wall off by, at most": ("m", max(flight.distance_off for flight in found)),
        "time of a sweep, median": ("s", float(np.median([flight.duration for flight in found]))),
    }
    name = f"coverage of {len(found)} faces"
    return [
        Row("oxpecker", f"{name}: {what}", unit, None, value, failed if what == "completed" else "")
        for what, (unit, value) in values.items()
    ]
