"""The members of a team as they carry out the actions of a plan in the plant, one after another.

Every action answers with what went wrong, in words, or with nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.messages import Reference
from tetherlab.control.position import PositionController
from tetherlab.control.way import Way
from tetherlab.planning.problem import Point
from tetherlab.plant import hoist_model as H
from tetherlab.sim.hoist import HoistCommand, HoistRun
from tetherlab.vehicles.winch import HOLD, SPEED, TENSION

Vector = NDArray[np.float64]
BANDWIDTH = 2.0  # of the drone's position: at 2.5 its tilt comes so late that it rocks by 5 cm [rad/s]
FLIGHT_TENSION = 1.0  # that the winch keeps while the drone carries the tether [N]
RISES = (1.0, 0.8, 0.6)  # heights at which it leaves the rover: the first that leaves the way free [m]
TAKE_OFF = 0.2  # height up to which the tether stays slack: a drone on its feet would be tipped over [m]
TAUT_WITHIN = 1.0  # time over which it is judged whether the tether pulls: longer than the drone rocks [s]
DRIVE_TENSION = 5.0  # and while the rover drives on it [N]
ARRIVED, STILL = 0.05, 0.05  # of a place [m], a speed [m/s]
PATIENCE = 30.0  # beyond what an action should take [s]


class Crew:
    """Rover and drone of a run, and their controllers."""

    def __init__(
        self,
        run: HoistRun,
        radius: float,
        reel_speed: float,
        speed: float,
        airborne: bool,
        missing: Sequence[Point] = (),
    ) -> None:
        """radius: of the rover [m]; speed: of flying and driving [m/s]; airborne: how the drone starts.

        missing: perches at which it finds no hold [m].
        """
        self.missing = missing
        self.run, self.radius, self.reel_speed, self.speed = run, radius, reel_speed, speed
        self._pilot = PositionController(
            mass=run.quadrotor.mass, gravity=float(run.world.gravity), bandwidth=BANDWIDTH
        )
        self._memory = self._pilot.init()
        self._hold: Vector | None = run.drone if airborne else None  # where it hovers [m], (3,)
        self._taut = 0.0  # how much of the winch's tension the tether is under, 0 to 1
        self.peaks = np.zeros(2)  # tension at the rover's winch, and at the perch, since last set to 0 [N]

    def fly(self, way: Vector, *, tethered: bool = False) -> str:
        """Along a way (n, 2) [m], and hover at its end."""
        # Not faster than the winch can follow.
        self._taut = 0.0
        path = Way(_deep(way), min(self.speed, 0.9 * self.reel_speed) if tethered else self.speed)
        start, late, ground = self.run.time, path.duration + PATIENCE, self.run.drone[2]
        while self.run.time - start < late:
            reference = path(self.run.time - start)
            rising = self.run.drone[2] - ground < TAKE_OFF
            reel = (self._slacken() if rising else self._follow(reference.velocity)) if tethered else None
            if not self.tick(reference, reel=reel):
                return self.run.outcome_sentence
            self._hold = reference.position
            off = float(np.linalg.norm(self.run.drone - path.points[-1]))
            speed = float(np.linalg.norm(self.run.velocity(H.DRONE)))
            if self.run.time - start > path.duration and off < ARRIVED and speed < STILL:
                return ""
        return f"the drone is still {off:.2f} m from the end of its way after {late:.0f} s"

    def land(self, way: Vector) -> str:
        """Straight down, and stop the rotors when its feet stand."""
        down = _deep(way)
        below = np.vstack([down, down[-1] - (0.0, 0.0, 0.1)])
        path, start, standing = Way(below, 0.5 * self.speed), self.run.time, 0
        while self.run.time - start < path.duration + PATIENCE:
            if not self.tick(path(self.run.time - start)):
                return self.run.outcome_sentence
            feet = self.run.plant.memory.body_contact[H.DRONE]["active"]
            standing = standing + 1 if int(feet.sum()) >= 3 else 0
            if standing > 20:
                self._hold, self._memory = None, self._pilot.init()
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
        self._hold, self._memory = self.run.drone, self._pilot.init()
        self.run.unhook()
        return self.wait(2.0)

    def drive(self, way: Vector) -> str:
        """Along the ground to the end of a way; the winch keeps a tether taut."""
        goal, start = float(way[-1, 0]), self.run.time
        late = abs(goal - self.run.rover[0]) / (0.5 * self.speed) + PATIENCE
        reel = (TENSION, DRIVE_TENSION, 0.0) if self.run.link == H.PERCHED else None
        while self.run.time - start < late:
            off, yaw = goal - float(self.run.rover[0]), self.run.observation.ugv.yaw
            if abs(off) < 0.01:
                return self.wait(0.5)
            astray = math.remainder(yaw, math.pi)  # backwards is as good as forwards
            along = math.cos(yaw) if abs(astray) < 0.2 else 0.0
            wanted = float(np.clip(1.5 * off, -self.speed, self.speed)) * along
            if not self.tick(drive=wanted, turn=-1.5 * astray, reel=reel):
                return self.run.outcome_sentence
        return f"the rover is still {abs(off):.2f} m from where it drives to after {late:.0f} s"

    def wait(self, duration: float) -> str:
        """All hold still."""
        for _ in range(round(duration / 0.01)):
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
        reel: tuple[int, float, float] | None = None,
    ) -> bool:
        """One tick: the drone follows a reference, or hovers, or stands; the winch is told, or holds."""
        if reference is None and self._hold is not None:
            still = np.zeros(3)
            reference = Reference(self._hold, still, still, 0.0, self._hold, np.nan)
        force: Vector = np.zeros(3)
        if reference is not None:
            self.run.target[0] = reference.position
            body = reference._replace(position=reference.position - self.run.plant.drone_origin)
            self._memory, command = self._pilot(self._memory, self.run.observation, body)
            force = command.force + self._carry() if reel and reel[0] == TENSION else command.force
        if reel and reel[0] == TENSION:
            share = min(self.run.tension / FLIGHT_TENSION, 1.0)
            self._taut += 0.01 / TAUT_WITHIN * (share - self._taut)
        mode, wanted, rate = reel or (HOLD, 0.0, 0.0)
        going = self.run.tick(HoistCommand(force, reference is not None, drive, turn, mode, wanted, rate))
        self.peaks = np.maximum(self.peaks, (self.run.tension, self.run.plant.seen[H.PERCH_PEAK]))
        return going

    def _follow(self, velocity: Vector) -> tuple[int, float, float]:
        """Keep the tether just taut behind a drone that goes with a velocity along its last element.

        As it should go, not as it goes: the winch would answer to its trembling.
        """
        return TENSION, FLIGHT_TENSION, float(self._along() @ velocity)

    def _along(self) -> Vector:
        """Direction of the tether where it comes to the drone, (3,)."""
        nodes = self.run.nodes
        last = nodes[-1] - nodes[-2]
        return np.asarray(last / max(float(np.linalg.norm(last)), 1e-9))

    def _carry(self) -> Vector:
        """Force that a tether under the tension of the winch asks of the drone [N], (3,).

        Up there it is larger by the weight of as much tether as hangs in between. To measure it would not do:
        a drone that gives way to every pull and a winch that follows it shake each other. Only whether the
        tether is still slack from taking off is measured, slowly.
        """
        weight = self.run.tether.linear_density * float(self.run.world.gravity)
        rise = float(self.run.drone[2] - self.run.rover[2])
        return self._taut * (FLIGHT_TENSION + weight * max(rise, 0.0)) * self._along()

    def _slacken(self) -> tuple[int, float, float]:
        """Pay out as the drone parts from the rover, and a little more."""
        return SPEED, max(float(self.run.velocity(H.DRONE)[2]), 0.0) + 0.05, 0.0


def _deep(way: Vector) -> Vector:
    """Points of the plane in space, (n, 3)."""
    return np.column_stack([way[:, 0], np.zeros(len(way)), way[:, 1]])
