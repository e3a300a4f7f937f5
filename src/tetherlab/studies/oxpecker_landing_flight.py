"""One landing of paper 003 in the plant: the drone of the scenario `oxpecker`, in the air, comes home."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import Autonomy, Commander, Readings, TaskStatus
from tetherlab.contracts.outcome import Outcome
from tetherlab.missions.landing import Landing
from tetherlab.missions.tasks import STILL
from tetherlab.scenario.inspection import CameraSection
from tetherlab.scenario.inspection_build import build_landing, build_senses
from tetherlab.scenario.scenario import Scenario
from tetherlab.scenario.simulation import Simulation
from tetherlab.sim.commander import PlantCommander
from tetherlab.sim.observation import Observed
from tetherlab.sim.pilot import Pilot

Array = NDArray[np.float64]
TIME_MAX = 300.0  # [s]
REST = 2.0  # on the platform before its place is taken [s]
GUSTS = 0.2  # of the mean wind
BLIND = CameraSection(columns=16, rows=12)  # a landing does not look at its pictures


class Start(NamedTuple):
    """From where the drone comes home, and through what."""

    distance: float  # of the attachment from where the tether leaves the platform [m]
    elevation: float  # of the straight line between them [rad]
    azimuth: float  # [rad]
    slack: float = 1.01  # cable that is out over the distance
    wind: float = 0.0  # mean, with gusts of a fifth of it [m/s]
    wind_azimuth: float = 0.0  # [rad]
    ceiling: float = 15.0  # above the ground [m]
    slope: float = 0.0  # of the ground [rad]
    levelled: bool = True  # the platform keeps itself level; if not, it has the slope of the ground
    yaw: float = 0.0  # of the drone [rad]
    seed: int = 0


class Landed(NamedTuple):
    """How a landing went."""

    status: TaskStatus
    reason: str  # what the task said at last
    outcome: str  # what ended the run early, or nothing
    duration: float  # from the first command until the rotors stop [s]
    off_center: float  # of the drone when its rotors stop, from the middle of the platform, along it [m]
    off_at_rest: float  # the same two seconds later, when the ring has slid into its depression [m]
    tension_max: float  # anywhere in the cable until the rotors stop [N]
    tension_at_rest: float  # the same in those two seconds, with the rotors off and no cable to speak of [N]
    headroom_min: float  # [m]
    length_more: float  # most cable that was out beyond what was when the drone set off [m]
    trace: Array  # time, place (3) [m], height, elevation [rad], tension, length, velocity in H (3), (n, 11)
    actions: list[str]  # of each row


@cache
def product() -> Scenario:
    """Whose drone, rover, tether, winch, sensors and landing these are."""
    return Scenario.load("oxpecker")


def scenario(start: Start) -> Scenario:
    """The same with the drone in the air, in a world of ground, ceiling and wind."""
    level = start.distance * math.cos(start.elevation)
    attachment = product().tether_exit[2] + start.distance * math.sin(start.elevation)
    x, y = level * math.cos(start.azimuth), level * math.sin(start.azimuth)
    place = [x, y, attachment - product().uav.robot.attachment[2]]
    ground = {"type": "plane", "friction": 0.8, "normal": [math.sin(start.slope), 0.0, math.cos(start.slope)]}
    ceiling = {"type": "plane", "point_m": [0.0, 0.0, start.ceiling], "normal": [0.0, 0.0, -1.0]}
    changes = {
        "world": {"shapes": [ground, ceiling], "wind": _wind(start)},
        "tether.paid_out_m": start.slack * start.distance,
        "uav.on_platform": False,
        "uav.start_m": place,
        "uav.yaw_deg": math.degrees(start.yaw),
        "ugv.start_m": [0.0, 0.0, 0.0],
        "mission.targets": [{"uav_m": place, "ugv_m": [0.0, 0.0, 0.0]}],
        "inspection": None,
        "run.duration_max_s": TIME_MAX,
        "run.seed": start.seed,
    }
    if not start.levelled:
        changes["ugv.robot.platform.levelling"] = None
    return Scenario.load("oxpecker", changes)


def _wind(start: Start) -> dict[str, Any] | None:
    if start.wind == 0.0:
        return None
    x, y = start.wind * math.cos(start.wind_azimuth), start.wind * math.sin(start.wind_azimuth)
    gusts = {"intensity_m_per_s": GUSTS * start.wind, "length_scale_m": 10.0}
    return {"velocity_m_per_s": [x, y, 0.0], "gusts": gusts}


class ComeHome:
    """An `Autonomy` that lands and then looks on for a while."""

    def __init__(self, task: Landing, rate_hz: float) -> None:
        self.task, self.rate_hz = task, rate_hz
        self.status = TaskStatus.GOING_ON
        self.rows: list[list[float]] = []  # of `Landed.trace`
        self.actions: list[str] = []
        self._place = STILL
        self._time = self._ended = math.nan  # now, and when it had landed [s]

    def see(self, readings: Readings, state: Observed) -> None:
        """Where the drone is in truth, for the record."""
        self._place = state.uav.position.copy()

    def step(self, readings: Readings, commander: Commander) -> list[str]:
        """Land, as soon as the sensors have spoken."""
        self._time = readings.time
        if self.status is not TaskStatus.GOING_ON or (not self.rows and readings.tether_H is None):
            return []
        if not self.rows:
            self.task.begin(readings)
        self.status = self.task.step(readings, commander)
        self._ended = readings.time
        assert isinstance(commander, PlantCommander)
        x, y, z = (math.nan,) * 3 if readings.tether_H is None else readings.tether_H
        seen = (readings.height, math.atan2(-z, math.hypot(x, y)), readings.tension, readings.length)
        self.rows.append([readings.time, *self._place, *seen, *commander.velocity_H])
        self.actions.append(self.task.details)
        return []

    @property
    def done(self) -> bool:
        """It has stood for a while, or hovered where it refused to go on."""
        return self.status is not TaskStatus.GOING_ON and self._time > self._ended + REST

    @property
    def progress(self) -> tuple[float, str]:
        """What it does."""
        return float(self.status is not TaskStatus.GOING_ON), self.task.details

    @property
    def ending(self) -> tuple[bool, str]:
        """Whether it has landed."""
        return self.status is TaskStatus.DONE, self.task.details


def land(start: Start, law: str) -> Landed:
    """From the start until the task ends, or the run; law: of the section `landing`."""
    chosen = product().inspection
    assert chosen is not None
    landing = chosen.landing.model_copy(update={"law": law})
    chosen = chosen.model_copy(update={"landing": landing, "depth_camera": BLIND})
    here = scenario(start)
    home = ComeHome(build_landing(here, chosen), chosen.rate)
    simulation = Simulation(here, pilot=Pilot(home, build_senses(here, chosen)))
    assert simulation.pilot is not None
    simulation.pilot.watchers.append(home.see)
    simulation.stop_recording()
    simulation.hold()
    tension_max, tension_at_rest, headroom_min = 0.0, 0.0, math.inf
    while home.status is TaskStatus.GOING_ON and simulation.step():
        tension_max = max(tension_max, float(simulation.plant.line["tension_peak"][0]))
        headroom_min = min(headroom_min, start.ceiling - simulation.state.uav.position[2])
    duration, off_center = simulation.time, _off_center(simulation)
    while simulation.step():
        tension_at_rest = max(tension_at_rest, float(simulation.plant.line["tension_peak"][0]))
    early = simulation.outcome not in (Outcome.COMPLETED, Outcome.BROKEN_OFF)
    trace = np.array(home.rows)
    return Landed(
        home.status,
        home.task.details,
        simulation.outcome_sentence if early else "",
        duration,
        off_center,
        _off_center(simulation),
        float(tension_max),
        float(tension_at_rest),
        float(headroom_min),
        _length_more(trace),
        trace,
        home.actions,
    )


def _off_center(simulation: Simulation) -> float:
    """Of the drone from the middle of the platform, along it [m]."""
    state = simulation.state
    return float(np.hypot(*(state.deck_rotation.T @ (state.uav.position - state.deck))[:2]))


def _length_more(trace: Array) -> float:
    """Most cable beyond what was out when the drone was first told to move [m]."""
    moving = np.flatnonzero(np.any(trace[:, 8:] != 0.0, axis=1))
    return float(trace[moving[0] :, 7].max() - trace[moving[0], 7]) if len(moving) else 0.0


if TYPE_CHECKING:
    _: type[Autonomy] = ComeHome
