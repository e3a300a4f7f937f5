"""The last way down: home by what else is known, or straight down, with the rotors off at the end."""

import math

import numpy as np
import pytest
from landing_model import PERIOD, STANDS, Scene, polar

from tetherlab.contracts.autonomy import UNKNOWN, TaskStatus
from tetherlab.missions.come_down import ComeDown
from tetherlab.missions.landing import LandingSettings

FLOOR = -0.39  # below the exit [m]


class Lost(Scene):
    """Without tether angles; `wrong`: error of where the base is taken to be [m], (3,)."""

    wrong = np.zeros(3)
    said: list

    def read(self, **changed):
        known = dict(tether_H=None, base_H=self.wrong - self.place, position=self.place + 7.0)
        return super().read(**(known | changed))

    def advance(self):
        super().advance()
        self.place[2] = max(self.place[2], FLOOR + 0.19)

    def come_down(self, task, seconds=200.0, **changed):
        task.begin(self.read(**changed))
        self.said = []
        for _ in range(round(seconds / PERIOD)):
            status = task.step(self.read(**changed), self)
            self.path.append(self.place.copy())
            self.said.append(task.details)
            if status is not TaskStatus.GOING_ON:
                return status
            self.advance()
        return TaskStatus.GOING_ON


@pytest.fixture
def task():
    return ComeDown(LandingSettings())


@pytest.mark.parametrize("place", [polar(6.0, 40.0), polar(4.0, 5.0), polar(5.0, -3.0), polar(3.0, 85.0)])
def test_it_comes_home_by_where_its_base_is_known_to_be(task, place):
    scene = Lost(place)
    assert scene.come_down(task) is TaskStatus.DONE
    assert task.details == "stands on its platform"
    assert not scene.armed and scene.tension_wanted == 6.0
    assert math.hypot(*scene.place[:2]) < 0.06 and scene.place[2] == pytest.approx(STANDS, abs=0.01)
    # Nowhere near the platform was it lower than half a metre above it, but at the end.
    path = np.array(scene.path)
    beside = (np.hypot(path[:, 0], path[:, 1]) > 0.3) & (np.hypot(path[:, 0], path[:, 1]) < 2.0)
    assert (path[beside, 2] > 0.4).all()


def test_from_beside_its_platform_it_climbs_before_it_comes_nearer(task):
    scene = Lost((1.2, 0.0, -0.1))
    assert scene.come_down(task) is TaskStatus.DONE
    path = np.array(scene.path)
    climbing = path[: np.argmax(path[:, 2] > 0.45)]
    assert len(climbing) > 50 and climbing[:, 0].min() > 1.15


def test_it_circles_once_before_it_comes_down(task):
    scene = Lost(polar(3.0, 40.0))
    scene.come_down(task)
    circling = np.array([what == "circles above its platform" for what in scene.said])
    path = np.array(scene.path)[circling]
    low = path[path[:, 2] < 1.5]
    turned = np.unwrap(np.arctan2(low[:, 1], low[:, 0]))
    assert abs(turned[-1] - turned[0]) > 0.85 * math.tau
    assert np.hypot(low[-100:, 0], low[-100:, 1]) == pytest.approx(0.4, abs=0.1)


def test_where_nobody_knows_the_base_it_comes_straight_down_and_says_so(task):
    scene = Lost(polar(4.0, 30.0))
    start = scene.place.copy()
    assert scene.come_down(task, base_H=UNKNOWN) is TaskStatus.FAILED
    assert task.details == "came down beside its platform: nobody knows where the platform is"
    assert not scene.armed
    assert scene.place == pytest.approx([*start[:2], FLOOR + 0.19], abs=0.01)


def test_below_its_platform_under_a_ceiling_it_comes_straight_down(task):
    scene = Lost(polar(4.0, -2.0), ceiling=0.8)
    assert scene.come_down(task) is TaskStatus.FAILED
    assert task.details.endswith("the drone is lower than its platform and has no room to climb")
    assert max(p[2] for p in scene.path) < 0.0 and not scene.armed


def test_who_misses_the_platform_says_so(task):
    scene = Lost(polar(4.0, 30.0))
    scene.wrong = np.array((1.5, 0.0, 0.0))
    assert scene.come_down(task) is TaskStatus.FAILED
    assert task.details == "came down beside its platform"
    assert not scene.armed


def test_without_an_altimeter_odometry_feels_the_ground(task):
    scene = Lost(polar(4.0, 30.0))
    assert scene.come_down(task, height=math.nan) is TaskStatus.DONE
    assert scene.place[2] == pytest.approx(STANDS, abs=0.01)


def test_where_nothing_tells_the_height_the_rotors_stop_late_and_not_in_the_air(task):
    scene = Lost(polar(4.0, 30.0))
    blind = dict(height=math.nan, position=UNKNOWN, base_H=UNKNOWN, lost=("odometry",))
    assert scene.come_down(task, **blind) is TaskStatus.FAILED
    assert scene.place[2] == pytest.approx(FLOOR + 0.19)
    assert scene.time < 100.0


def test_who_drifts_hurries_but_touches_down_at_its_speed(task):
    calm, hurried = Lost(polar(6.0, 60.0)), Lost(polar(6.0, 60.0))
    calm.come_down(task, base_H=UNKNOWN)
    hurried.come_down(task, base_H=UNKNOWN, position=UNKNOWN, lost=("odometry",))
    assert hurried.time < 0.6 * calm.time
    before = np.array(hurried.path)[:, 2]
    steps = -np.diff(before)[np.array(before[:-1]) < FLOOR + 0.25] / PERIOD
    assert 0.1 < steps.max() < 0.2


def test_an_edge_below_does_not_stop_the_rotors(task):
    """Low above the platform it drifts over its edge: the altimeter jumps up by a metre."""
    scene = Lost((0.0, 0.0, 0.45))
    task.begin(scene.read())
    for k in range(90):
        height = 0.49 - 0.005 * k + (0.0 if k < 45 else 1.0)
        assert task.step(scene.read(height=height, base_H=UNKNOWN, length=3.0), scene) is TaskStatus.GOING_ON
        scene.time += PERIOD
    assert scene.armed


def test_on_its_platform_it_has_arrived(task):
    scene = Lost((0.0, 0.0, STANDS))
    assert scene.come_down(task, base_H=UNKNOWN) is TaskStatus.DONE
    assert scene.time < 4.0
