"""Maps of an inspection: a flight with all sensors, handed to the mapper step by step."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from tetherlab.contracts.autonomy import Readings
from tetherlab.mapping import MapSpec
from tetherlab.missions.inspection import APPROACH, LAND, MAP, Stop
from tetherlab.scenario.inspection_map import KEPT_EVERY, WallMapper, of_face
from tetherlab.sensors.inspection_suite import InspectionSuite
from tetherlab.studies.oxpecker_survey import TETHER, Survey, SurveySpec
from tetherlab.world.mine import Mine

MINE = Mine(seed=5, pillar=(4.0, 4.0), irregularity=0.0, height=2.0, entry=10.0)
FACE = MINE.face("pillar_1", "south")
NAME = "pillar_1 south"


@pytest.fixture(scope="module")
def steps():
    """Time, messages and truth of each step of a flight of two rows."""
    survey = Survey(MINE, FACE, SurveySpec(), 1)
    suite, found = InspectionSuite(survey.spec.sensors, 1), []
    for k, truth in enumerate(survey._truths()):
        suite.read(truth)
        floor = survey.base - [0.0, 0.0, survey.spec.base_height]
        uav = SimpleNamespace(yaw=float(survey.yaw[k]))
        state = SimpleNamespace(ugv_origin=floor, exit=survey.base, attachment=survey.position[k], uav=uav)
        found.append((truth.time, suite.messages, state))
    return survey, found


class Watched:
    """A mapper of a mission whose states are set by hand."""

    def __init__(self, survey, *names):
        self.mission = SimpleNamespace(
            machine=SimpleNamespace(state=APPROACH), done=False, index=0, results=[],
            stops=[Stop(name, np.zeros((1, 2)), 0.0) for name in names],
        )  # fmt: skip
        self.suite, self.said = SimpleNamespace(messages=[]), []
        self.mapper = WallMapper(
            mission=self.mission,
            suite=self.suite,
            tether=TETHER,
            spec=MapSpec(),
            faces={NAME: FACE},
            distance=survey.world.distance,
            tell=self.said.append,
        )

    def fly(self, steps, approach=20):
        """All steps, the first of them on the way to the wall."""
        for k, (time, messages, state) in enumerate(steps):
            self.mission.machine.state = APPROACH if k < approach else MAP
            self.suite.messages = messages
            self.mapper(Readings(time=time), state)

    def land(self, steps):
        """The drone comes home, and the mission goes on to the next wall."""
        time, messages, state = steps[-1]
        self.mission.machine.state, self.suite.messages = LAND, messages
        self.mapper(Readings(time=time), state)
        assert len(self.mapper.maps) == len(self.mission.results)  # not before it is home
        self.mission.results.append((NAME, "completed", ""))
        self.mission.index += 1
        self.mission.done = self.mission.index == len(self.mission.stops)
        self.mapper(Readings(time=time), state)


@pytest.fixture(scope="module")
def twice(steps):
    """One wall that was visited twice."""
    survey, flight = steps
    watched = Watched(survey, NAME, NAME)
    for _ in range(2):
        watched.fly(flight)
        watched.land(flight)
    return watched


def test_a_wall_is_mapped_when_the_drone_is_home(twice, steps):
    survey, _ = steps
    cloud = of_face(twice.mapper.maps[NAME], FACE)
    off = survey.world.distance(cloud.points)
    assert len(cloud.points) > 5000 and math.sqrt(np.mean(off**2)) < 0.05
    assert twice.mapper.errors[0] == pytest.approx(math.sqrt(np.mean(off**2)))
    assert f"{NAME}: a map of" in twice.said[0] and "m RMS from the rock" in twice.said[0]


def test_a_wall_that_is_visited_again_has_a_map_of_its_own_and_pictures_are_forgotten(twice):
    assert list(twice.mapper.maps) == [NAME, f"{NAME} 2"]
    assert set(twice.mapper.errors) == {0, 1}
    assert twice.mapper.flight.images == []


def test_a_run_that_is_stopped_half_way_maps_what_it_saw_once(steps):
    survey, flight = steps
    watched = Watched(survey, NAME)
    watched.fly(flight[: len(flight) // 2])
    watched.mapper.finish()
    watched.mapper.finish()
    assert list(watched.mapper.maps) == [NAME] and len(watched.said) == 1
    u, v, _ = FACE.in_face(watched.mapper.maps[NAME].points).T
    assert v[(u > 0.0) & (u < FACE.width)].max() < FACE.height + 0.3


def test_a_drone_that_hovers_fills_no_memory(steps):
    survey, flight = steps
    watched = Watched(survey, NAME)
    watched.fly(flight[:200])
    time, _, state = flight[199]
    kept = list(watched.mapper.flight.images)
    taken = sum(sender == "depth_camera" for _, messages, _ in flight[20:200] for sender, _ in messages)
    way = np.linalg.norm(np.diff([step[2].attachment for step in flight[20:200]], axis=0), axis=1).sum()
    assert taken > len(kept) > 0.5 * way / KEPT_EVERY
    watched.suite.messages = [("depth_camera", kept[-1])]
    for _ in range(500):
        watched.mapper(Readings(time=time), state)
    assert len(watched.mapper.flight.images) <= len(kept) + 1


def test_without_pictures_there_is_a_sentence_and_no_map(steps):
    survey, flight = steps
    watched = Watched(survey, NAME)
    watched.fly(flight[:40], approach=1000)
    watched.mapper.finish()
    assert watched.mapper.maps == {} and watched.mapper.errors == {}
    assert watched.said == [
        f"{NAME}: no map: no depth image was taken within the track, or none saw anything: there is no map"
    ]


def test_what_is_dropped_is_not_mapped_later(steps):
    survey, flight = steps
    watched = Watched(survey, NAME)
    watched.fly(flight[:200])
    watched.mapper.drop()
    watched.mapper.finish()
    assert watched.mapper.maps == {} and watched.said == []
