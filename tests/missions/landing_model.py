"""A drone that is a lag, on a cable that is at rest: enough to fly a landing in a moment.

The cable has one tension at its base and rests as a catenary, or partly on the ground without friction. With
c = T/w the base lies c above the directrix, so that its parameter a follows from one equation.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq

from tetherlab.contracts.autonomy import Readings, TaskStatus

WEIGHT = 0.038 * 9.80665  # of the cable [N/m]
BASE = 0.39  # height of the exit [m]
STANDS = 0.12  # height of the attachment above the exit when the drone stands [m]
PERIOD = 0.05  # [s]


def cable(level, rise, tension, base=BASE):
    """(length, elevation at the drone) of a cable to a point this far from and above its base."""
    c = tension / WEIGHT
    if level < 1e-9:
        return rise, 0.5 * math.pi

    # Part of it lies on the ground if both hanging parts have room beside each other.
    a = c - base
    legs = [a * math.acosh(1.0 + height / a) for height in (base, base + rise)]
    if sum(legs) < level:
        arcs = [math.sqrt(height * (height + 2.0 * a)) for height in (base, base + rise)]
        return level - sum(legs) + sum(arcs), math.atan(arcs[1] / a)

    def above(slope):  # where it is at that distance if it leaves the base with this slope
        a = c * math.cos(slope)
        return a * math.cosh(level / a + math.asinh(math.tan(slope))) - c - rise

    steep = math.atan2(rise, level)
    low = steep
    while above(low) > 0.0:
        low -= 0.02
    slope = brentq(above, low, steep, xtol=1e-13) if low < steep else steep
    a = c * math.cos(slope)
    start = math.asinh(math.tan(slope))
    return a * (math.sinh(start + level / a) - math.sinh(start)), math.atan(math.sinh(start + level / a))


@dataclass
class Scene:
    """A drone near its platform, a `Commander`, and what its sensors say."""

    place: np.ndarray  # of the attachment from the exit, x, y, z [m]
    ceiling: float = 20.0  # above the exit [m]
    lag: float = 0.5  # of the drone's velocity [s]
    noise: float = 0.0  # of the tether's direction
    height_noise: float = 0.0  # [m]
    seed: int = 0
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    wanted: np.ndarray = field(default_factory=lambda: np.zeros(3))
    tension: float = 3.0  # at which it flies [N]
    time: float = 0.0
    armed: bool = True
    path: list = field(default_factory=list)
    lengths: list = field(default_factory=list)
    speeds: list = field(default_factory=list)

    def __post_init__(self):
        self.tension_wanted = self.tension
        self.place = np.array(self.place, float)
        self.random = np.random.default_rng(self.seed)

    def read(self, **changed):
        x, y, z = self.place
        level = math.hypot(x, y)
        length, elevation = cable(level, z, self.tension)
        aside = -math.cos(elevation) / max(level, 1e-12)
        along = np.array((aside * x, aside * y, -math.sin(elevation)))
        along += self.noise * self.random.standard_normal(3)
        on_deck = max(abs(x), abs(y)) < 0.3
        height = z + (0.01 if on_deck else BASE) + self.height_noise * self.random.standard_normal()
        known = dict(
            time=self.time,
            height=height,
            headroom=self.ceiling - z,
            tether_H=along / np.linalg.norm(along),
            length=length,
            tension=self.tension,
        )
        return Readings(**(known | changed))

    def advance(self):
        self.tension += 0.1 * (self.tension_wanted - self.tension)
        self.velocity += (self.wanted - self.velocity) * -math.expm1(-PERIOD / self.lag)
        self.place += PERIOD * self.velocity
        if max(abs(self.place[0]), abs(self.place[1])) < 0.3 and self.place[2] < STANDS:
            self.place[2] = STANDS
        self.time += PERIOD

    def land(self, task, time_max=400.0):
        task.begin(self.read())
        status = TaskStatus.GOING_ON
        while status is TaskStatus.GOING_ON and self.time < time_max:
            readings = self.read()
            status = task.step(readings, self)
            self.path.append(self.place.copy())
            self.lengths.append(readings.length)
            self.speeds.append(self.wanted.copy())
            self.advance()
        return status

    def fly(self, velocity_H, turn=0.0):
        self.wanted = np.array(velocity_H, float)

    def keep_tension(self, tension):
        self.tension_wanted = tension

    def disarm(self):
        self.armed = False


def polar(distance, elevation, azimuth=0.7):
    """A place this far from the exit, angles in degrees."""
    e = math.radians(elevation)
    level = distance * math.cos(e)
    return np.array((level * math.cos(azimuth), level * math.sin(azimuth), distance * math.sin(e)))
