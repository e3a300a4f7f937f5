"""What both landings mind: tension first, silent sensors, the ceiling, a caught tether, the touch-down."""

import math

import numpy as np
import pytest
from landing_model import Scene, polar

from tetherlab.contracts.autonomy import TaskStatus
from tetherlab.contracts.errors import InputError
from tetherlab.missions.landing import LandingSettings
from tetherlab.missions.landing_field import FieldLanding
from tetherlab.missions.landing_switched import SwitchedLanding, SwitchedSettings
from tetherlab.missions.touch_down import TouchDown

KINDS = {"switched": (SwitchedLanding, SwitchedSettings), "continuous": (FieldLanding, LandingSettings)}


@pytest.fixture(params=KINDS)
def kind(request):
    task, settings = KINDS[request.param]
    return lambda **changed: task(settings(**changed))


def fly(task, scene, seconds, **changed):
    """Step a task that was begun, with readings that say something else than the truth."""
    for _ in range(round(seconds / 0.05)):
        status = task.step(scene.read(**changed), scene)
        if status is not TaskStatus.GOING_ON:
            return status
        scene.advance()
    return TaskStatus.GOING_ON


def started(kind, scene, **settings):
    """A landing that has set off."""
    task = kind(settle_time=0.0, **settings)
    scene.tension = settings.get("tension", 6.0)
    task.begin(scene.read())
    return task


def test_the_tension_is_raised_first_and_waited_for(kind):
    scene = Scene(polar(10.0, 40.0))
    scene.land(kind(), time_max=30.0)
    moving = next(i for i, speed in enumerate(scene.speeds) if speed.any())
    # 3 N become 80 % of 6 N in 9 steps of the model's winch, and then it rests for 2 s.
    assert 9 + 39 <= moving <= 9 + 40


def test_a_tension_that_drops_is_waited_for_anew(kind):
    scene = Scene(polar(10.0, 40.0), tension=6.0)
    task = kind()
    task.begin(scene.read())
    fly(task, scene, 1.5)
    fly(task, scene, 0.1, tension=1.0)
    fly(task, scene, 1.5)
    assert not scene.wanted.any()
    fly(task, scene, 1.0)
    assert scene.wanted.any()


def test_a_tether_that_does_not_get_taut_is_refused_with_its_tension(kind):
    scene = Scene(polar(10.0, 40.0))
    task = kind(patience=5.0)
    task.begin(scene.read())
    assert fly(task, scene, 10.0, tension=1.2) is TaskStatus.FAILED
    assert task.details == "the tether is not taut: 1.2 N, at least 4.8 N are needed, for 5 s"
    assert scene.time == pytest.approx(5.0, abs=0.1)
    assert scene.armed and not scene.wanted.any()


def test_a_tension_that_comes_and_goes_is_not_waited_for_for_ever(kind):
    scene = Scene(polar(10.0, 40.0), tension=6.0)
    task = kind(patience=5.0)
    task.begin(scene.read())
    for _ in range(12):
        fly(task, scene, 0.5)
        status = fly(task, scene, 0.5, tension=1.0)
    assert status is TaskStatus.FAILED
    assert task.details.startswith("the tether is not taut: 1.0 N")


def test_a_drone_that_stands_has_landed_whatever_its_winch_does(kind):
    scene = Scene(np.array((0.0, 0.0, 0.17)))
    task = kind(patience=5.0)
    task.begin(scene.read())
    for _ in range(12):
        status = fly(task, scene, 0.4, tension=0.1)
        status = fly(task, scene, 0.4, tension=15.0) if status is TaskStatus.GOING_ON else status
        if status is not TaskStatus.GOING_ON:
            break
    assert status is TaskStatus.DONE
    assert not scene.armed


def test_a_tension_below_the_weight_of_the_tether_does_not_count_as_taut(kind):
    """The 0.3 N of the paper's flights: the cable hangs down from a drone that is far away."""
    scene = Scene(polar(10.0, 40.0))
    task = kind(tension=0.3, patience=5.0)
    task.begin(scene.read())
    assert fly(task, scene, 10.0, tension=0.3, length=12.0) is TaskStatus.FAILED
    assert "at least 4.5 N" in task.details


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ({"tether_H": None}, "angle sensor"),
        ({"tether_H": np.full(3, math.nan)}, "angle sensor"),
        ({"height": math.nan, "length": math.nan}, "altimeter and length"),
    ],
)
def test_a_silent_sensor_stops_the_drone_and_then_the_landing(kind, missing, said):
    scene = Scene(polar(8.0, 40.0))
    task = started(kind, scene, patience=4.0)
    assert fly(task, scene, 5.0) is TaskStatus.GOING_ON
    assert scene.wanted.any()
    assert fly(task, scene, 3.0, **missing) is TaskStatus.GOING_ON
    assert not scene.wanted.any() and said in task.details
    assert fly(task, scene, 1.0) is TaskStatus.GOING_ON  # it speaks again
    assert scene.wanted.any()
    assert fly(task, scene, 5.0, **missing) is TaskStatus.FAILED
    assert said in task.details and scene.armed


def test_without_an_altimeter_the_tether_tells_the_height(kind):
    scene = Scene(polar(5.0, 40.0))
    task = started(kind, scene)
    assert fly(task, scene, 120.0, height=math.nan) is TaskStatus.DONE
    assert math.hypot(*scene.place[:2]) < 0.06 and scene.place[2] < 0.25
    assert not scene.armed


def test_without_a_tension_it_waits_as_long_as_a_winch_may_take_and_lands(kind):
    scene = Scene(polar(5.0, 40.0))
    task = kind(patience=8.0)
    task.begin(scene.read())
    assert fly(task, scene, 7.9, tension=math.nan) is TaskStatus.GOING_ON
    assert not scene.wanted.any()
    assert fly(task, scene, 120.0, tension=math.nan) is TaskStatus.DONE
    assert math.hypot(*scene.place[:2]) < 0.06 and not scene.armed


def test_without_a_tension_a_slack_tether_is_found_out_at_the_ground(kind):
    """It hangs straight down from a drone that is far away."""
    scene = Scene(np.array((6.0, 0.0, 1.0)))
    task = kind(patience=1.0)
    task.begin(scene.read())
    hangs = {"tether_H": np.array((0.0, 0.0, -1.0)), "tension": math.nan, "length": 8.0}
    status = TaskStatus.GOING_ON
    while status is TaskStatus.GOING_ON and scene.time < 60.0:
        status = fly(task, scene, 0.05, **hangs)
        scene.place[2] = max(scene.place[2], -0.2)  # the ground
    assert status is TaskStatus.FAILED and "this is not the platform" in task.details
    assert scene.armed


def test_without_odometry_it_comes_down_at_full_speed_and_is_not_fooled(kind):
    """A velocity that errs by 0.08 m/s upwards would stop a slow descent: it would seem to stand."""
    scene = Scene((0.02, 0.0, 1.0))
    task = started(kind, scene)
    status = TaskStatus.GOING_ON
    while status is TaskStatus.GOING_ON and scene.time < 60.0:
        status = task.step(scene.read(lost=("odometry",)), scene)
        scene.wanted[2] += 0.08
        scene.advance()
    assert status is TaskStatus.DONE and not scene.armed
    assert scene.place[2] < 0.2


def test_without_odometry_and_angles_it_does_not_wait(kind):
    scene = Scene(polar(5.0, 40.0))
    task = started(kind, scene)
    fly(task, scene, 1.0)
    assert fly(task, scene, 0.1, tether_H=None, lost=("odometry", "drone_angles")) is TaskStatus.FAILED
    assert task.details == "without odometry and tether nothing holds the drone where it is"


@pytest.mark.parametrize("room", [1.3, 1.7, 2.5])
def test_it_never_flies_above_the_guard(kind, room):
    place = polar(9.0, 18.0)
    scene = Scene(place, ceiling=place[2] + room, noise=0.01, height_noise=0.02)
    assert scene.land(kind(headroom_min=1.0)) is TaskStatus.DONE
    assert scene.ceiling - max(p[2] for p in scene.path) > 1.0
    speeds = np.linalg.norm(scene.speeds, axis=1)
    assert speeds.max() < 0.151  # Table 1 adds V_d to V in the vertical descent


def test_too_near_the_ceiling_it_comes_down_first(kind):
    place = polar(9.0, 30.0)
    scene = Scene(place, ceiling=place[2] + 0.5)
    task = started(kind, scene)
    fly(task, scene, 10.0)
    assert scene.ceiling - scene.place[2] > 1.0


def test_without_room_to_climb_above_the_platform_it_is_refused(kind):
    scene = Scene(polar(4.0, 3.0), ceiling=1.2)
    task = started(kind, scene)
    assert fly(task, scene, 20.0) is TaskStatus.FAILED
    assert task.details == "the drone is hardly above its platform and has no room to climb"


def test_a_lost_ceiling_finder_forbids_climbing_but_not_landing(kind):
    scene = Scene(polar(6.0, 15.0))
    task = started(kind, scene)
    assert fly(task, scene, 200.0, lost=("ceiling",), headroom=math.nan) is TaskStatus.DONE
    assert math.hypot(*scene.place[:2]) < 0.06
    level, free = Scene(polar(6.0, 15.0)), Scene(polar(6.0, 15.0))
    fly(started(kind, level), level, 20.0, lost=("ceiling",), headroom=math.nan)
    assert level.place[2] < 1.56
    fly(started(kind, free), free, 20.0, headroom=math.nan)  # nothing above within its range
    assert free.place[2] > 1.63


def test_it_does_not_land_where_a_caught_tether_leads(kind):
    """The cable is caught half way, and the drone is led down to that place."""
    scene = Scene(polar(2.0, 80.0))
    task = started(kind, scene)
    status = TaskStatus.GOING_ON
    while status is TaskStatus.GOING_ON and scene.time < 100.0:
        reading = scene.read()
        status = task.step(scene.read(length=reading.length + 5.0), scene)
        scene.advance()
    assert status is TaskStatus.FAILED
    assert "this is not the platform" in task.details and "m of tether are out" in task.details
    assert scene.armed


def test_one_wrong_height_does_not_stop_the_rotors(kind):
    scene = Scene((0.02, 0.0, 3.0))
    task = started(kind, scene)
    assert fly(task, scene, 3.0) is TaskStatus.GOING_ON
    for _ in range(40):
        assert fly(task, scene, 0.1, height=0.1, length=math.nan) is TaskStatus.GOING_ON
        assert fly(task, scene, 0.1) is TaskStatus.GOING_ON
    assert scene.armed


def test_it_lands_where_the_altimeter_never_reads_so_little(kind):
    """Mounted so high that it reads more than h_2 when the drone stands: it feels that it comes no lower."""
    scene = Scene(polar(2.0, 75.0), height_noise=0.02)
    task = kind(landed_height=0.02)
    assert scene.land(task) is TaskStatus.DONE
    assert scene.place[2] == pytest.approx(0.12, abs=0.01)


def test_a_landing_can_be_begun_again(kind):
    task = kind()
    first, second = Scene(polar(3.0, 60.0)), Scene(polar(3.0, 60.0))
    assert first.land(task) is TaskStatus.DONE
    assert second.land(task) is TaskStatus.DONE
    assert np.array(first.path) == pytest.approx(np.array(second.path))


def test_standing_is_told_from_sinking_in_noise(random):
    for sinks in (True, False):
        for _ in range(200):
            touch = TouchDown()
            for i in range(41):
                height = 0.2 - (0.05 * 0.04 * i if sinks else 0.0)
                touch.look(0.05 * i, height + 0.02 * random.standard_normal(), -0.04)
            assert touch.happened(2.0) is not sinks


def test_who_is_told_to_stay_has_not_touched_down():
    touch = TouchDown()
    for i in range(100):
        touch.look(0.05 * i, 0.2, 0.0)
    assert not touch.happened(5.0)


def test_wrong_settings_are_refused():
    with pytest.raises(InputError, match="speed must be > 0, got 0"):
        LandingSettings(speed=0.0)
