"""A wall swept by a point that follows velocities with a lag: rows, borders, distance."""

import math
from dataclasses import replace

import numpy as np
import pytest

import tetherlab as tl
from point_drone import PointDrone, bumpy_wall, fly_task
from tetherlab.contracts.autonomy import Readings, TaskStatus
from tetherlab.missions.map_wall import MapWall
from tetherlab.missions.sweep import SweepSpec

LENGTH, HEIGHT = 6.0, 3.0


def swept(seed, start=(-2.0, 3.0, 1.0), yaw=0.2, **settings):
    world = bumpy_wall(seed, LENGTH, HEIGHT, bumps=6)
    drone = PointDrone(world, start, yaw, noise=0.01, seed=seed)
    task = MapWall(sweep=SweepSpec(**settings))
    status = fly_task(task, drone, 400.0)
    return task, drone, status


@pytest.mark.parametrize("seed", range(3))
def test_every_row_is_swept_to_both_ends_of_a_bumpy_wall(seed):
    task, drone, status = swept(seed)
    assert status is TaskStatus.DONE, task.details
    assert len(task.rows) == len(task.sweep.heights) == 3
    track = np.array(drone.track)
    wall = tl.World(shapes=[bumpy_wall(seed, LENGTH, HEIGHT, bumps=6).shapes[0]])
    half = 1.5 * math.tan(math.radians(35.0))
    for height, start, end in task.rows:
        row = track[int(start * 20) : int(end * 20)]
        assert row[:, 1].min() < half  # so the picture holds the right border
        assert row[:, 1].max() > LENGTH - half
        assert np.abs(row[:, 2] - height).max() < 0.15
        assert np.abs(wall.distance(row[:, :3]) - 1.5).max() < 0.2
    assert track[:, 2].max() < HEIGHT - 0.6


def test_a_wall_beside_which_there_is_none_is_given_up_when_it_is_out_of_sight():
    drone = PointDrone(tl.World.ground(), (0.0, 0.0, 1.0))
    task = MapWall(sweep=SweepSpec(), wall_height=3.0)
    assert fly_task(task, drone, 60.0) is TaskStatus.FAILED
    assert task.details == "there is no wall in sight, and no picture"
    assert drone.time < 15.0


def test_without_a_ceiling_the_height_must_be_given():
    world = tl.World(shapes=[tl.shapes.Plane(), tl.shapes.Box(lower=(0, -3, 0), upper=(1, 3, 3))])
    task = MapWall(sweep=SweepSpec())
    assert fly_task(task, PointDrone(world, (-1.5, 0.0, 1.0)), 5.0) is TaskStatus.FAILED
    assert task.details.startswith("the height of the wall is not known")
    given = MapWall(sweep=SweepSpec(), wall_height=3.0)
    assert fly_task(given, PointDrone(world, (-1.5, 0.0, 1.0)), 200.0) is TaskStatus.DONE


def test_it_waits_where_no_picture_comes_and_then_gives_up():
    drone = PointDrone(bumpy_wall(0, LENGTH, HEIGHT), (-1.5, 3.0, 1.0))
    task = MapWall(sweep=SweepSpec())
    task.begin(drone.read())
    task.step(drone.read(), drone)
    image = drone.read().depth
    late = Readings(time=5.0, height=1.0, headroom=2.0, depth=image)
    assert task.step(late, drone) is TaskStatus.GOING_ON
    assert np.array_equal(drone.wanted_H, np.zeros(3))
    later = Readings(time=11.0, height=1.0, headroom=2.0, depth=image)
    assert task.step(later, drone) is TaskStatus.FAILED


class Tethered(PointDrone):
    """On a straight tether to a base that is higher than the lowest row."""

    base = np.array((-3.0, 3.0, 1.5))

    def read(self):
        away = self.base - self.position
        length = float(np.linalg.norm(away))
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        x, y, z = away / length
        return replace(super().read(), tether_H=np.array((c * x + s * y, c * y - s * x, z)), length=length)


def test_it_flies_no_lower_than_its_tether_lets_it():
    """Whose rise towards the base would lead through the rotors."""
    rises = {}
    for kind in (PointDrone, Tethered):
        drone = kind(bumpy_wall(0, LENGTH, HEIGHT), (-1.5, 3.0, 1.2))
        assert fly_task(MapWall(sweep=SweepSpec()), drone, 400.0) is TaskStatus.DONE
        away = Tethered.base - np.array(drone.track)[100:, :3]
        rises[kind] = np.degrees(np.arcsin(away[:, 2] / np.linalg.norm(away, axis=1))).max()
    assert rises[PointDrone] > 12.0 and rises[Tethered] < 3.0


def test_with_a_base_that_is_low_it_comes_down_to_its_first_row():
    drone = Tethered(bumpy_wall(0, LENGTH, HEIGHT), (-1.5, 3.0, 2.0))
    drone.base = np.array((-3.0, 3.0, 0.3))
    task = MapWall(sweep=SweepSpec())
    assert fly_task(task, drone, 400.0) is TaskStatus.DONE
    flown = [row[0] for row in task.rows]  # the third is below the ceiling
    assert flown[:2] == pytest.approx(list(task.sweep.heights[:2]), abs=0.12)


class Lagging(Tethered):
    """Whose winch has not taken in all of its tether."""

    base = np.array((-3.0, 3.0, 0.3))

    def read(self):
        return replace(super().read(), tension=1.5)


def test_it_flies_slower_where_its_tether_hangs_through():
    times = {}
    for kind in (PointDrone, Lagging):
        drone = kind(bumpy_wall(0, LENGTH, HEIGHT), (-1.5, 3.0, 1.2))
        task = MapWall(sweep=SweepSpec())
        assert fly_task(task, drone, 400.0) is TaskStatus.DONE
        times[kind] = sum(end - start for _, start, end in task.rows)
    assert times[Lagging] == pytest.approx(2.0 * times[PointDrone], rel=0.1)
