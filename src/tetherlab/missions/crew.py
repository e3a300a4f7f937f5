"""A rover with a winch and a drone as they carry out the actions of a plan, one after another.

Every action answers with what went wrong, in words, or with nothing. Nothing here knows a simulator: `Team`
is what is asked and commanded, tick by tick.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts.messages import Reference
from tetherlab.vehicles.hanging import Hanging
from tetherlab.vehicles.winch import HOLD, TENSION

Vector = NDArray[np.float64]
Reel = tuple[int, float, float]  # mode, what is wanted and its rate, as in HoistCommand
TICK = 0.01  # [s]
APART, LATCHED, PERCHED = 0, 1, 2  # how rover and drone are linked
RISES = (1.0, 0.8, 0.6)  # heights at which it leaves the rover: the first that leaves the way free [m]
TAKE_OFF = 0.2  # height up to which the tether stays slack: a drone on its feet would be tipped over [m]
DRIVE_TENSION = 5.0  # while the rover drives on its tether [N]
ARRIVED, STILL = 0.05, 0.05  # of a place [m], a speed [m/s]
LANDING = 0.5  # share of its speed with which the drone lands
PATIENCE = 30.0  # beyond what an action should take [s]


class HoistCommand(NamedTuple):
    """What all members do until the next tick."""

    force: ArrayLike = (0.0, 0.0, 0.0)  # of the drone's rotors, world frame [N], (3,)
    armed: bool = False  # whether they turn
    drive: float = 0.0  # speed of the rover, forwards [m/s]
    turn: float = 0.0  # to the left [rad/s]
    reel_mode: int = HOLD  # of the winch, see vehicles/winch.py
    reel: float = 0.0  # speed [m/s], length [m] or tension [N] that it keeps
    reel_rate: float = 0.0  # of a wanted length, or at which the ends part [m/s]


class Team(Protocol):
    """Rover, tether and drone; see `assembly/hoist_run.py` for what each is."""

    observation: Any  # of `ugv` and `uav`, as controllers see them
    target: Vector
    world: Any
    drone_radius: float
    drone_origin: Vector
    rover_mass: float
    outcome_sentence: str
    perch_peak: float

    @property
    def time(self) -> float: ...  # noqa: D102

    @property
    def rover(self) -> Vector: ...  # noqa: D102

    @property
    def drone(self) -> Vector: ...  # noqa: D102

    @property
    def drone_velocity(self) -> Vector: ...  # noqa: D102

    @property
    def link(self) -> int: ...  # noqa: D102

    @property
    def tension(self) -> float: ...  # noqa: D102

    @property
    def pull_max(self) -> float: ...  # noqa: D102

    @property
    def length(self) -> float: ...  # noqa: D102

    @property
    def touches(self) -> bool: ...  # noqa: D102

    @property
    def stands(self) -> bool: ...  # noqa: D102

    @property
    def last_contact(self) -> Vector: ...  # noqa: D102

    @property
    def along(self) -> Vector: ...  # noqa: D102

    def hanging(self, hinge: ArrayLike) -> Hanging: ...  # noqa: D102

    def latch(self) -> None: ...  # noqa: D102

    def perch(self) -> None: ...  # noqa: D102

    def unhook(self) -> None: ...  # noqa: D102

    def note(self, kind: str, sentence: str) -> None: ...  # noqa: D102

    def tick(self, command: HoistCommand) -> bool: ...  # noqa: D102


class Pilot(Protocol):
    """What flies the drone, as `control/towing.py` does."""

    def begin(self) -> None:
        """Forget what was integrated."""

    def way(self, points: Vector, *, tethered: bool = False, share: float = 1.0) -> Any:
        """A way to fly, called with the time for a Reference; it knows its `duration` and `points`."""

    def force(self, observation: Any, reference: Reference, towed: Any) -> Vector:
        """Of the rotors [N], (3,)."""

    def follow(self, along: Vector, velocity: Vector) -> Reel:
        """What the winch does behind the drone."""

    def slacken(self, climb: float) -> Reel:
        """And while it takes off."""


class Crew:
    """Rover and drone of a team, and who steers them."""

    def __init__(
        self,
        run: Team,
        pilot: Pilot,
        towed: Callable[[Vector, float, float], Any],
        *,
        radius: float,
        reel_speed: float,
        speed: float,
        airborne: bool,
        missing: Sequence[tuple[float, float]] = (),
    ) -> None:
        """towed: makes of direction, tension and rise what the pilot is told of the tether.

        radius: of the rover [m]; speed: of driving [m/s]; airborne: how the drone starts.
        missing: perches at which it finds no hold [m].
        """
        self.run, self.pilot, self.missing = run, pilot, missing
        self._towed, self.radius, self.reel_speed, self.speed = towed, radius, reel_speed, speed
        self._hold: Vector | None = run.drone if airborne else None  # where it hovers [m], (3,)
        self.peaks = np.zeros(2)  # tension at the rover's winch, and at the perch, since last set to 0 [N]

    def fly(self, way: Vector, *, tethered: bool = False) -> str:
        """Along a way (n, 2) [m], and hover at its end."""
        path = self.pilot.way(_deep(way), tethered=tethered)
        start, late, ground = self.run.time, path.duration + PATIENCE, self.run.drone[2]
        off = math.inf
        while self.run.time - start < late:
            reference = path(self.run.time - start)
            reel = None
            if tethered and self.run.drone[2] - ground < TAKE_OFF:
                reel = self.pilot.slacken(float(self.run.drone_velocity[2]))
            elif tethered:
                reel = self.pilot.follow(self.run.along, reference.velocity)
            if not self.tick(reference, reel=reel):
                return self.run.outcome_sentence
            self._hold = reference.position
            off = math.dist(self.run.drone, path.points[-1])
            speed = math.hypot(*self.run.drone_velocity)
            if self.run.time - start > path.duration and off < ARRIVED and speed < STILL:
                return ""
        return f"the drone is still {off:.2f} m from the end of its way after {late:.0f} s"

    def land(self, way: Vector) -> str:
        """Straight down, and stop the rotors when its feet stand."""
        down = _deep(way)
        below = np.vstack([down, down[-1] - (0.0, 0.0, 0.1)])
        path, start, standing = self.pilot.way(below, share=LANDING), self.run.time, 0
        while self.run.time - start < path.duration + PATIENCE:
            if not self.tick(path(self.run.time - start)):
                return self.run.outcome_sentence
            standing = standing + 1 if self.run.stands else 0
            if standing > 20:
                self._hold = None
                self.pilot.begin()
                return self.wait(0.5)
        return "the drone did not come to stand"

    def latch(self, way: Vector) -> str:
        """Drive up to the drone and hook the tether to it."""
        trouble = self.drive(way)
        if trouble:
            return trouble
        self.run.latch()
        return self.wait(0.5)

    def perch(self, way: Vector) -> str:
        """Fly with the tether to a perch, and hold on."""
        trouble = self.fly(way if self._hold is not None else self._over_the_rover(way), tethered=True)
        if trouble:
            return trouble
        if any(math.dist(way[-1], perch) < ARRIVED for perch in self.missing):
            return self.wait(1.0) or f"the drone finds no hold at ({way[-1, 0]:.2f}, {way[-1, 1]:.2f})"
        self.run.perch()
        self._hold = None
        return self.wait(0.5)

    def unhook(self) -> str:
        """The rover's hook opens, its tether comes home, and the drone hovers where it was perched."""
        self._hold = self.run.drone
        self.pilot.begin()
        self.run.unhook()
        return self.wait(2.0)

    def drive(self, way: Vector) -> str:
        """Along the ground to the end of a way; the winch keeps a tether taut."""
        goal, start = float(way[-1, 0]), self.run.time
        off = goal - float(self.run.rover[0])
        late = abs(off) / (0.5 * self.speed) + PATIENCE
        reel = (TENSION, DRIVE_TENSION, 0.0) if self.run.link == PERCHED else None
        while self.run.time - start < late:
            off, yaw = goal - float(self.run.rover[0]), self.run.observation.ugv.yaw
            if abs(off) < 0.01:
                return self.wait(0.5)
            astray = math.remainder(yaw, math.pi)  # backwards is as good as forwards
            along = math.cos(yaw) if abs(astray) < 0.2 else 0.0
            wanted = min(max(1.5 * off, -self.speed), self.speed) * along
            if not self.tick(drive=wanted, turn=-1.5 * astray, reel=reel):
                return self.run.outcome_sentence
        return f"the rover is still {abs(off):.2f} m from where it drives to after {late:.0f} s"

    def wait(self, duration: float) -> str:
        """All hold still."""
        for _ in range(round(duration / TICK)):
            if not self.tick():
                return self.run.outcome_sentence
        return ""

    def _over_the_rover(self, way: Vector) -> Vector:
        """A way that begins straight up, beside the rover, so high that the next leg is free."""
        if len(way) < 2:
            return way
        for height in RISES:
            risen = way[0] + (0.0, height)
            leg = _deep(risen + np.linspace(0.0, 1.0, 50)[:, None] * (way[1] - risen))
            if float(self.run.world.distance(leg).min()) > 0.95 * self.run.drone_radius:
                return np.vstack([way[0], risen, way[1:]])
        return way

    def tick(
        self,
        reference: Reference | None = None,
        *,
        drive: float = 0.0,
        turn: float = 0.0,
        reel: Reel | None = None,
    ) -> bool:
        """One tick: the drone follows a reference, or hovers, or stands; the winch is told, or holds."""
        run = self.run
        if reference is None and self._hold is not None:
            still = np.zeros(3)
            reference = Reference(self._hold, still, still, 0.0, self._hold, np.nan)
        force: ArrayLike = (0.0, 0.0, 0.0)
        if reference is not None:
            run.target[0] = reference.position
            body = reference._replace(position=reference.position - run.drone_origin)
            towed = None
            if reel is not None and reel[0] == TENSION:
                towed = self._towed(run.along, run.tension, float(run.drone[2] - run.rover[2]))
            force = self.pilot.force(run.observation, body, towed)
        mode, wanted, rate = reel or (HOLD, 0.0, 0.0)
        going = run.tick(HoistCommand(force, reference is not None, drive, turn, mode, wanted, rate))
        self.peaks[0] = max(self.peaks[0], run.tension)
        self.peaks[1] = max(self.peaks[1], run.perch_peak)
        return going


def _deep(way: Vector) -> Vector:
    """Points of the plane in space, (n, 3)."""
    return np.column_stack([way[:, 0], np.zeros(len(way)), way[:, 1]])
