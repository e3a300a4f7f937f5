"""What of a mine's face the pictures of a flight show, counted with the truth."""

from types import SimpleNamespace

import numpy as np
import pytest

from tetherlab.contracts.autonomy import DepthImage, Readings
from tetherlab.missions.inspection import MAP, Inspection, Stop
from tetherlab.missions.map_wall import Leg, MapWall
from tetherlab.missions.sweep import SweepSpec
from tetherlab.scenario.inspection_record import WallRecord, camera_points
from tetherlab.world.mine import Mine

MINE = Mine(seed=1, pillar=(4.0, 4.0), irregularity=0.0, height=3.0, entry=10.0)
FLAT = DepthImage(0.0, np.full((48, 96), 1.5, np.float32), 1.0, 0.5, np.eye(3))  # 3 m wide, 1.5 m high


def watched(name, leg=Leg.SWEEP):
    """A record that has seen one flat picture of the middle of a face."""
    face = MINE.face("pillar_1", "south")
    task = MapWall(sweep=SweepSpec())
    task.leg = leg
    machine = SimpleNamespace(state=MAP, states={MAP: SimpleNamespace(task=task)})
    mission = Inspection.__new__(Inspection)
    mission.machine, mission.stops = machine, (Stop(name, np.zeros((1, 2)), 0.0),)
    mission.index, mission.results, mission._stranded = 0, [], ""
    ahead = -face.normal
    rotation = np.stack([ahead, -face.along, face.up], axis=1)
    place = face.corner + 2.0 * face.along + 1.5 * face.up + 1.5 * face.normal
    state = SimpleNamespace(attachment=place, uav=SimpleNamespace(rotation=rotation))
    record = WallRecord(mission, np.zeros(3), MINE)
    record(Readings(time=0.0, depth=FLAT), state)
    return record.table({}), mission, record


def test_a_picture_shows_what_is_in_front_of_it():
    table, _, _ = watched("pillar_1 south")
    assert table["width_m"][0] == pytest.approx(4.0) and table["height_m"][0] == pytest.approx(3.0)
    assert table["seen_share"][0] == pytest.approx(3.0 * 1.5 / 12.0, abs=0.03)  # a row of cells
    assert table["hole_m2"][0] == pytest.approx(12.0 - 4.5, abs=0.36)
    assert table["mapped"][0] == 0.0 and np.isnan(table["ended_s"][0])


def test_pictures_between_rows_do_not_count():
    table, _, _ = watched("pillar_1 south", leg=Leg.CLIMB)
    assert table["seen_share"][0] == 0.0


def test_of_a_wall_that_is_no_face_only_the_end_is_told():
    table, mission, record = watched("my wall")
    assert np.isnan(table["seen_share"][0])
    mission.results.append(("my wall", "completed", ""))
    table = record.table({0: 0.02})
    assert table["mapped"][0] == 1.0 and table["ended_s"][0] == 0.0
    assert table["map_rms_m"][0] == 0.02


def test_points_of_a_thinned_picture_are_some_of_all():
    some, all_of_it = camera_points(FLAT, 32), camera_points(FLAT)
    assert len(some) == len(all_of_it) // 9
    assert set(map(tuple, some)) <= set(map(tuple, all_of_it))
