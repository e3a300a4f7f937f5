"""How fast a whole run is: simulated, recorded at 50 Hz, judged and saved.

The built-in controllers are compiled in their cores; `PlainController` is what a user writes in NumPy, called
a hundred times per simulated second.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.table import Table

import tetherlab as tl
from tetherlab.contracts.messages import Observation, Reference, UavCommand

SCENARIO = "opposite"
OVERRIDES = {"tether.element_length_m": 0.10, "run.record_hz": 50}
TARGETS = {"built-in": 100.0, "own, Python, 100 Hz": 40.0}  # times real time
QUICK = 60.0  # simulated in the quick bench [s]


class PlainController:
    """A position controller as people write it, nothing compiled."""

    rate_hz = 100.0

    def init(self) -> NDArray[np.float64]:
        """Integral of the error [m s], (3,)."""
        return np.zeros(3)

    def __call__(
        self, memory: NDArray[np.float64], observation: Observation, reference: Reference
    ) -> tuple[NDArray[np.float64], UavCommand]:
        """PID, and what the tether pulls."""
        uav = observation.uav
        error = reference.position - uav.position
        memory = memory + error / self.rate_hz
        acceleration = (
            reference.acceleration
            + 6.0 * (reference.velocity - uav.velocity)
            + 12.0 * error
            + 8.0 * memory
            + np.array((0.0, 0.0, 9.80665))
        )
        return memory, UavCommand(uav.mass * acceleration - uav.tether_force, reference.yaw)


class Spent(NamedTuple):
    """CPU seconds of one run."""

    simulated: float  # time of the scenario [s]
    stepping: float
    metrics: float  # and tables
    saving: float

    @property
    def speed(self) -> float:
        """Times real time, everything included."""
        return self.simulated / (self.stepping + self.metrics + self.saving)


def measure(controller: Any, until: float | None) -> Spent:
    """One run from its start to its folder; reading and compiling come before."""
    simulation = tl.Simulation(SCENARIO, OVERRIDES, controller=controller)
    marks = [time.process_time()]
    simulation.run(until=until)
    if simulation.outcome is tl.Outcome.STOPPED:
        raise KeyboardInterrupt
    marks.append(time.process_time())
    log = simulation.log
    marks.append(time.process_time())
    with tempfile.TemporaryDirectory() as folder:
        log.save(folder)
    marks.append(time.process_time())
    return Spent(simulation.time, *np.diff(marks).tolist())


class Row(NamedTuple):
    """The median run with one kind of controller."""

    name: str
    target: float  # times real time
    spent: Spent
    low: float  # slowest and fastest of the rounds, times real time
    high: float


def run_bench(repeats: int, quick: bool, say: Callable[[str], None], rows: list[Row]) -> None:
    """A row per kind of controller, after a short run that compiles."""
    for name, target in TARGETS.items():
        controller = None if name.startswith("built-in") else PlainController()
        say(f"{name}: compiling (the first time takes a minute)")
        measure(controller, 1.0)
        rounds: list[Spent] = []
        for number in range(1, repeats + 1):
            say(f"{name}: run {number} of {repeats}")
            rounds.append(measure(controller, QUICK if quick else None))
        rounds.sort(key=lambda spent: spent.speed)
        middle = statistics.median_low([spent.speed for spent in rounds])
        spent = next(spent for spent in rounds if spent.speed == middle)
        rows.append(Row(name, target, spent, rounds[0].speed, rounds[-1].speed))


def rich_table(rows: list[Row]) -> Table:
    """For the terminal."""
    table = Table(title=f"{SCENARIO!r}, elements of 0.10 m, all tables at 50 Hz", box=SIMPLE_HEAD)
    table.caption = "CPU seconds of the median run; speed in times real time, of all rounds, and wanted"
    for name in (
        "controllers",
        "flight\ns",
        "steps\ns",
        "metrics\ns",
        "saving\ns",
        "speed",
        "range",
        "wanted",
    ):
        table.add_column(name, justify="right" if name != "controllers" else "left")
    for row in rows:
        spent = row.spent
        cells = (f"{value:.2f}" for value in (spent.stepping, spent.metrics, spent.saving))
        speeds = (f"{spent.speed:.0f}", f"{row.low:.0f}-{row.high:.0f}", f"{row.target:.0f}")
        table.add_row(row.name, f"{spent.simulated:.0f}", *cells, *speeds)
    return table
