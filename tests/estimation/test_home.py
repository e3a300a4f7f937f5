"""The way home by whatever still speaks: closed forms, consistency, edges, and what no distance tells."""

import math

import numpy as np
import pytest

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.home import FLOOR, SPEED, HomeFilter, HomeSpec
from tetherlab.estimation.odometry import Witness
from tetherlab.estimation.pulled_line import hanging_end
from tetherlab.sensors.readings import InertialReading, OdometryReading, RangeReading, VerticalReading
from tetherlab.tether.catenary import Catenary

DT, WALK, YAW = 0.05, 0.1, 0.4
WHITE = {
    "uwb": Witness(deviation=0.05),
    "altimeter": Witness(deviation=0.05),
    "angle": Witness(deviation=0.02),
    "tether_weight": 1e-9,  # straight
    "floor_walk": 0.0,
}


class Flight:
    """A smooth flight round a base and what perfect sensors with white noise say of it."""

    def __init__(self, random, place, **spec):
        self.random, self.place = random, place  # [m] of the time [s]
        self.filter = HomeFilter(HomeSpec(**(WHITE | spec)))
        self.time, self.drift = 0.0, np.zeros(3)

    def velocity(self):
        return (self.place(self.time + 1e-4) - self.place(self.time - 1e-4)) / 2e-4

    def on(self, duration, *heard, floor=-1.0):
        for _ in range(round(duration / DT)):
            self.time += DT
            self.drift += WALK * math.sqrt(DT) * self.random.standard_normal(3)
            self.filter.hear("inertial", InertialReading(self.time, self.velocity() + self.drift, YAW))
            for sender in heard:
                self.filter.hear(*getattr(self, sender)(floor))

    def odometry(self, floor):
        c, s = math.cos(YAW), math.sin(YAW)
        x, y, z = self.velocity()
        velocity_H = np.array((c * x + s * y, c * y - s * x, z)) + 0.1 * self.random.standard_normal(3)
        return "odometry", OdometryReading(self.time, np.zeros(3), velocity_H, 0.0, True)

    def uwb(self, floor):
        far = float(np.linalg.norm(self.place(self.time)))
        return "uwb", RangeReading(self.time, far + 0.05 * self.random.standard_normal())

    def altimeter(self, floor):
        height = self.place(self.time)[2] - floor
        return "altimeter", VerticalReading(self.time, height + 0.05 * self.random.standard_normal())

    def tether(self, floor):
        place = self.place(self.time)
        far = float(np.linalg.norm(place))
        up = place / far
        aside = 0.02 * self.random.standard_normal(3)
        up = up + aside - (aside @ up) * up
        length = far + 0.05 * self.random.standard_normal()
        told = Measurement(time=self.time, length=length, tension=4.0, tangent_end=up / np.linalg.norm(up))
        return "drone_angles", told

    @property
    def error(self):
        """Of place and velocity, (6,)."""
        return self.filter.state[0][:FLOOR] - np.concatenate([self.place(self.time), self.velocity()])


def loop(time):
    """A few metres from the base."""
    return np.array(
        (3.0 + math.sin(0.1 * time), 2.0 * math.cos(0.1 * time), 1.5 + 0.5 * math.sin(0.07 * time))
    )


def test_the_velocity_that_places_hold_has_the_variance_of_the_closed_form(random):
    """Of a double integrator: √2 q √(q r), here vertical, with the altimeter alone."""
    flight = Flight(random, loop)
    flight.on(60.0, "altimeter")
    deviation = flight.filter.deviation[SPEED + 2]
    r = 0.05 * math.sqrt(DT)
    assert deviation == pytest.approx(math.sqrt(math.sqrt(2.0) * WALK * math.sqrt(WALK * r)), rel=0.03)
    assert abs(flight.error[5]) < 4.0 * deviation


def test_without_odometry_the_errors_are_as_large_as_it_says(random):
    squares = []
    for _ in range(25):
        flight = Flight(random, loop)
        flight.filter._x[:3] = loop(0.0)
        flight.on(20.0, "uwb", "altimeter", "tether")
        for _ in range(4):
            flight.on(5.0, "uwb", "altimeter", "tether")
            P = flight.filter.state[1][:FLOOR, :FLOOR]
            squares.append(flight.error @ np.linalg.solve(P, flight.error))
    # 100 nearly independent values of chi² with 6 degrees of freedom: their mean is within 4 deviations.
    assert np.mean(squares) == pytest.approx(6.0, abs=4.0 * math.sqrt(2.0 * 6.0 / 100))


def test_what_inertial_sensors_lose_by_themselves_the_tether_holds(random):
    alone, held = Flight(random, loop), Flight(random, loop)
    for flight in (alone, held):
        flight.filter._x[:3] = loop(0.0)
        flight.on(10.0, "odometry", "tether")
    alone.on(60.0)
    held.on(60.0, "tether", "uwb")
    assert alone.filter.deviation[SPEED] == pytest.approx(WALK * math.sqrt(60.0), rel=0.02)
    assert np.isnan(alone.filter.base_H).all()
    assert np.abs(held.error[3:]).max() < 0.3 and np.linalg.norm(held.error[:3]) < 0.3


def test_the_base_is_told_in_the_frame_of_the_drone(random):
    flight = Flight(random, loop)
    flight.filter._x[:3] = loop(0.0)
    flight.on(20.0, "odometry", "tether")
    c, s = math.cos(YAW), math.sin(YAW)
    x, y, z = flight.place(flight.time)
    assert flight.filter.base_H == pytest.approx([-c * x - s * y, s * x - c * y, -z], abs=0.1)
    vx, vy, vz = flight.velocity()
    assert flight.filter.velocity_H == pytest.approx([c * vx + s * vy, c * vy - s * vx, vz], abs=0.15)


def test_the_edge_of_a_platform_is_no_fall(random):
    flight = Flight(random, loop)
    flight.filter._x[:3] = loop(0.0)
    flight.on(20.0, "uwb", "altimeter", "tether")
    flight.on(1.0, "uwb", "altimeter", "tether", floor=-0.1)
    assert flight.filter.refused["altimeter"] >= 1
    assert abs(flight.error[5]) < 0.3
    assert flight.filter.state[0][FLOOR] == pytest.approx(-0.1, abs=0.15)


def test_a_circle_tells_the_direction_that_a_distance_does_not(random):
    """The believed place is 0.3 m beside the true one; both fly for 20 s by odometry and radio alone."""

    def circle(time):
        return np.array((0.4 * math.cos(0.375 * time), 0.4 * math.sin(0.375 * time), 1.0))

    def ahead(time):
        return np.array((2.0 - 0.1 * time, 0.0, 1.0))

    beside = {}
    for place in (circle, ahead):
        errors = []
        for _ in range(12):
            flight = Flight(random, place)
            flight.filter._x[:3] = place(0.0) + np.array((0.0, 0.3, 0.0))
            flight.filter._P[:3, :3] = np.diag((0.05, 0.3, 0.05)) ** 2
            flight.on(20.0, "odometry", "uwb")
            errors.append(flight.error[1])
        beside[place] = math.sqrt(np.mean(np.square(errors)))
    assert beside[circle] < 0.11
    assert beside[ahead] > 0.15


def test_a_tether_that_is_not_taut_leads_nowhere():
    filter = HomeFilter(HomeSpec(tether_weight=0.373))
    filter.hear("inertial", InertialReading(0.0, np.zeros(3), 0.0))
    filter._P *= 1e5  # so that it would be believed
    before = filter.state
    level = np.array((1.0, 0.0, 0.0))
    filter.hear("drone_angles", Measurement(time=0.0, length=10.0, tension=3.0, tangent_end=level))
    assert np.array_equal(before[0], filter.state[0]) and np.array_equal(before[1], filter.state[1])


def test_on_its_platform_it_begins_anew(random):
    flight = Flight(random, loop)
    flight.on(20.0, "odometry")
    assert flight.filter.deviation[0] > 0.1
    flight.filter.hear("length", Measurement(time=flight.time, length=0.2))
    flight.on(DT, "odometry")
    assert flight.filter.deviation[:3] == pytest.approx([0.1] * 3, rel=0.01)
    assert np.linalg.norm(flight.filter.base_H) < 0.3


@pytest.mark.parametrize("slack", [1.0005, 1.01, 1.1])
@pytest.mark.parametrize("end", [(5.0, 0.0, 0.2), (3.0, 2.0, 4.0), (0.3, 0.0, 3.0), (4.0, 0.0, -0.3)])
def test_the_end_of_a_pulled_tether_is_that_of_the_catenary(end, slack):
    weight, length = 0.373, slack * math.hypot(*end)
    curve = Catenary.between(np.zeros(3), end, length)
    forces = curve.end_forces(weight / 9.80665)
    tension = float(np.linalg.norm(forces.on_base))
    level, rise = hanging_end(length, float(curve.tangent(length)[2]), tension, weight)
    if tension < weight * length:
        assert math.isnan(level)  # which of two it is, these numbers do not tell
        return
    assert (level, rise) == pytest.approx((math.hypot(*end[:2]), end[2]), abs=1e-6)


def test_a_pulled_tether_may_be_upright_or_weigh_nothing():
    assert hanging_end(3.0, 1.0, 6.0, 0.373) == pytest.approx((0.0, 3.0))
    assert hanging_end(3.0, 0.6, 6.0, 1e-12) == pytest.approx((2.4, 1.8))


def test_wrong_settings_are_refused():
    with pytest.raises(InputError, match="odometry must be > 0, got 0"):
        HomeSpec(odometry=0.0)
