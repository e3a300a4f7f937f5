"""One landing of paper 003 in the plant: by sensors that are wrong, in gusts, on a cable that sags."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import Readings, TaskStatus
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.messages import Observation, Reference, WinchCommand
from tetherlab.control.tension_control import TensionPID
from tetherlab.missions.landing import Landing
from tetherlab.scenario.simulation import Simulation
from tetherlab.world.wind import Wind

Array = NDArray[np.float64]
RATE = 20.0  # of readings and commands [Hz]
TIME_MAX = 300.0  # [s]
REST = 2.0  # on the platform before its place is taken [s]
DECK, DECK_HEIGHT, EXIT_HEIGHT = 0.45, 0.86, 0.81  # of Rhino's platform: half its edge, above the ground [m]
DISH = ((0.24, 0.34), (0.07, 0.0))  # radii of its depression, and how deep it is there [m]
BELOW = 0.08  # Oxpecker's centre are altimeter and attachment [m]
FLIGHT_TENSION = 2.0  # before it is told to land [N]; the paper's 0.3 N lets the cable lie on the ground
ARM_STIFFNESS = 1000.0  # [N] for the cable: stands for the spring arm by which the winch feels the tension


class Start(NamedTuple):
    """From where the drone comes home, and through what."""

    distance: float  # of the attachment from the exit [m]
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


class Faults(NamedTuple):
    """How wrong the sensors are: a little worse than those of the papers."""

    angle_noise: float = math.radians(1.0)  # white, of each reading and axis [rad]
    angle_bias: float = math.radians(0.5)  # of each axis, constant in a flight [rad]
    angle_lag: float = 0.1  # time constant [s]
    range_noise: float = 0.02  # of altimeter and ceiling range finder, white [m]
    tension_noise: float = 0.1  # white [N]


FAULTS = Faults()


class Landed(NamedTuple):
    """How a landing went."""

    status: TaskStatus
    reason: str  # what the task said at last
    outcome: str  # what ended the run early, or nothing
    duration: float  # from the first command until the rotors stop [s]
    off_center: float  # of the drone when its rotors stop, from the middle of the platform, along it [m]
    off_at_rest: float  # the same two seconds later, when the ring has slid into its depression [m]
    tension_max: float  # anywhere in the cable [N]
    headroom_min: float  # [m]
    length_more: float  # most cable that was out beyond what was when the drone set off [m]
    trace: Array  # time, place (3) [m], height, elevation [rad], tension, length, velocity in H (3), (n, 11)
    actions: list[str]  # of each row


def scenario(start: Start) -> dict[str, Any]:
    """The drone hovers there until it is told something."""
    level = start.distance * math.cos(start.elevation)
    rise = start.distance * math.sin(start.elevation)
    x, y = level * math.cos(start.azimuth), level * math.sin(start.azimuth)
    place = [x, y, EXIT_HEIGHT + rise + BELOW]
    ground = {"type": "plane", "friction": 0.8, "normal": [math.sin(start.slope), 0.0, math.cos(start.slope)]}
    ceiling = {"type": "plane", "point_m": [0.0, 0.0, start.ceiling], "normal": [0.0, 0.0, -1.0]}
    return {
        "schema": 1,
        "world": {"shapes": [ground, ceiling]},
        "tether": {
            "like": "oxpecker",
            "paid_out_m": start.slack * start.distance,
            "axial_stiffness_N": ARM_STIFFNESS,
        },
        "winch": "oxpecker",
        "uav": {"robot": "oxpecker", "start_m": place, "yaw_deg": math.degrees(start.yaw)},
        "ugv": {"robot": "rhino"},
        "mission": {
            "targets": [{"uav_m": place, "ugv_m": [0.0, 0.0, 0.0]}],
            "hold_last_s": 2.0 * TIME_MAX,
            "uav_speed_m_per_s": 0.5,
        },
        "run": {"duration_max_s": 2.0 * TIME_MAX, "seed": start.seed},
    }


def wind(start: Start) -> Wind:
    """Of a start, with gusts."""
    if start.wind == 0.0:
        return Wind.calm()
    along = np.array((math.cos(start.wind_azimuth), math.sin(start.wind_azimuth), 0.0))
    mean = Wind.uniform(start.wind * along)
    return mean.with_gusts(intensity=0.2 * start.wind, length_scale=10.0, seed=start.seed)


class KeptTension:
    """The winch of paper 003: a PID of which the set point can be changed. The paper prints no gains."""

    rate_hz = 100.0

    def __init__(self) -> None:
        self.tension = FLIGHT_TENSION  # [N]

    def init(self) -> Any:
        """Nothing seen yet."""
        return ()

    def __call__(
        self, memory: Any, observation: Observation, reference: Reference
    ) -> tuple[Any, WinchCommand]:
        """A speed."""
        rule = TensionPID(tension=self.tension, gain=0.05, integral_gain=0.05)
        return rule(memory, observation, reference)


class Sensors:
    """What a mission on board is told, made from the truth."""

    def __init__(self, simulation: Simulation, start: Start, faults: Faults) -> None:
        self.state, self.start, self.faults = simulation.state, start, faults
        self.random = np.random.default_rng((start.seed, 3))
        self.bias = faults.angle_bias * self.random.standard_normal(3)
        self.tether_H = self._tether_H()  # through the lag

    def read(self) -> Readings:
        """Now, one period after the last time."""
        state, faults = self.state, self.faults
        share = -math.expm1(-1.0 / (RATE * faults.angle_lag))
        self.tether_H = self.tether_H + share * (self._tether_H() - self.tether_H)
        seen = self.tether_H + self.bias + faults.angle_noise * self.random.standard_normal(3)
        height, headroom = self.ranges() + faults.range_noise * self.random.standard_normal(2)
        return Readings(
            time=state.time,
            height=float(height),
            headroom=float(headroom),
            tether_H=seen / np.linalg.norm(seen),
            length=state.length,
            tension=max(state.tension + faults.tension_noise * self.random.standard_normal(), 0.0),
        )

    def ranges(self) -> Array:
        """Down from the altimeter to deck or ground, and from the drone's centre to the ceiling [m], (2,)."""
        x, y, z = self.state.uav.position
        floor = -math.tan(self.start.slope) * x
        turn = self.state.deck_rotation
        normal, middle = turn[:, 2], self.state.exit + (DECK_HEIGHT - EXIT_HEIGHT) * turn[:, 2]
        deck = middle[2] - (normal[0] * (x - middle[0]) + normal[1] * (y - middle[1])) / normal[2]
        aside = (turn.T @ (np.array((x, y, deck)) - middle))[:2]
        if np.abs(aside).max() < DECK:
            floor = deck - float(np.interp(np.hypot(*aside), *DISH))
        return np.array((z - BELOW - floor, self.start.ceiling - z))

    def _tether_H(self) -> Array:
        nodes = self.state.tether.nodes
        along = nodes[-2] - nodes[-1]
        return turned(along / np.linalg.norm(along), -self.state.uav.yaw)


class Pilot:
    """Brings the commands of a mission to a simulation."""

    def __init__(self, simulation: Simulation, winch: KeptTension) -> None:
        self.simulation, self.winch = simulation, winch
        self.velocity_H = np.zeros(3)  # [m/s]

    def fly(self, velocity_H: Array, turn: float = 0.0) -> None:
        """At a velocity."""
        self.velocity_H = np.array(velocity_H)
        self.simulation.command(uav_velocity=turned(self.velocity_H, self.simulation.state.uav.yaw))

    def keep_tension(self, tension: float) -> None:
        """At the winch."""
        self.winch.tension = tension

    def disarm(self) -> None:
        """Stop the rotors."""
        self.simulation.mission.armed = False

    def take_off(self, height: float) -> None:
        """Never in a landing."""
        raise InputError("a landing does not take off")

    def drive_to(self, place: Array) -> None:
        """Never in a landing."""
        raise InputError("the rover waits for its drone")

    @property
    def arrived(self) -> bool:
        """Nobody was sent anywhere."""
        return True


def land(start: Start, task: Landing, faults: Faults = FAULTS) -> Landed:
    """From the start until the task ends, or the run."""
    winch = KeptTension()
    fixed = None if start.levelled else {"ugv.robot.platform.levelling": None}
    simulation = Simulation(scenario(start), fixed, winch_rule=winch)
    simulation.stop_recording()
    simulation.set_wind(wind(start))
    sensors, pilot = Sensors(simulation, start, faults), Pilot(simulation, winch)
    state, ticks = simulation.state, round(1.0 / RATE / simulation.tick)
    rows: list[list[float]] = []
    actions: list[str] = []
    status, tension_max, headroom_min = TaskStatus.GOING_ON, 0.0, math.inf
    readings = sensors.read()
    task.begin(readings)
    while status is TaskStatus.GOING_ON and simulation.outcome is None and simulation.time < TIME_MAX:
        status = task.step(readings, pilot)
        assert readings.tether_H is not None
        x, y, z = readings.tether_H
        elevation = math.atan2(-z, math.hypot(x, y))
        seen = (readings.height, elevation, readings.tension, readings.length)
        rows.append([readings.time, *state.uav.position, *seen, *pilot.velocity_H])
        actions.append(task.details)
        for _ in range(ticks):
            simulation.step()
            tension_max = max(tension_max, state.tension)
        tension_max = max(tension_max, float(state.tether.tension.max()))
        headroom_min = min(headroom_min, float(sensors.ranges()[1]))
        readings = sensors.read()
    duration, off_center = simulation.time, _off_center(simulation)
    while simulation.time < duration + REST and simulation.step():
        pass
    trace = np.array(rows)
    return Landed(
        status,
        task.details,
        simulation.outcome_sentence,
        duration,
        off_center,
        _off_center(simulation),
        tension_max,
        headroom_min,
        _length_more(trace),
        trace,
        actions,
    )


def turned(vector: Array, yaw: float) -> Array:
    """From a level frame with this heading to the world, (3,); with -yaw back."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array((c * vector[0] - s * vector[1], s * vector[0] + c * vector[1], vector[2]))


def _off_center(simulation: Simulation) -> float:
    """Of the drone from the middle of the platform, along it [m]."""
    state = simulation.state
    return float(np.hypot(*(state.deck_rotation.T @ (state.uav.position - state.deck))[:2]))


def _length_more(trace: Array) -> float:
    """Most cable beyond what was out when the drone was first told to move [m]."""
    moving = np.flatnonzero(np.any(trace[:, 8:] != 0.0, axis=1))
    return float(trace[moving[0] :, 7].max() - trace[moving[0], 7]) if len(moving) else 0.0
