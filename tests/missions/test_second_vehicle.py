"""The same mission on a second vehicle: only the commander is another."""

import math

import numpy as np
import pytest

import tetherlab as tl
from point_drone import PointDrone, bumpy_wall
from tetherlab.contracts.autonomy import TaskStatus
from tetherlab.contracts.errors import InputError
from tetherlab.missions.approach import Approach
from tetherlab.missions.machine import State, StateMachine
from tetherlab.missions.map_wall import MapWall
from tetherlab.missions.sweep import SweepSpec
from tetherlab.missions.tasks import TakeOff
from tetherlab.scenario.simulation import quadrotor_spec
from tetherlab.sim.lone_commander import LoneCommander
from tetherlab.vehicles.alone import LoneQuadrotor

LENGTH, HEIGHT, DT = 5.0, 2.4, 0.05


class Down:
    """Slowly, until it stands."""

    name, details = "down", ""

    def begin(self, readings):
        pass

    def step(self, readings, commander):
        commander.fly(np.array((0.0, 0.0, -0.2)))
        if readings.height < 0.33:
            commander.disarm()
            return TaskStatus.DONE
        return TaskStatus.GOING_ON


def mission():
    states = [
        State(task=TakeOff(height=0.8, tension=1.0), done="approach", failed="given up"),
        State(task=Approach(distance=1.5), done="map", failed="given up"),
        State(task=MapWall(sweep=SweepSpec(overlap=0.1)), done="down", failed="given up"),
        State(task=Down(), done="home", failed="given up"),
    ]
    return StateMachine(states, [], start="take off", ends={"home": True, "given up": False})


class Eyes(PointDrone):
    """The sensors of the point, at the place of a drone with a body."""

    def follow(self, drone, time):
        R = drone.rotation
        self.position, self.yaw, self.time = drone.position, math.atan2(R[1, 0], R[0, 0]), time


def test_a_drone_without_a_tether_maps_a_wall_with_the_same_mission():
    world = bumpy_wall(1, LENGTH, HEIGHT, bumps=4)
    spec = quadrotor_spec(tl.Scenario.load("opposite", {"uav.robot": "x500"}).uav.robot)
    stands = -min(foot[2] - foot[3] for foot in spec.feet)
    drone = LoneQuadrotor(spec, position=(-3.0, 2.5, stands), world=world)
    commander, machine = LoneCommander(drone), mission()
    eyes = Eyes(world, drone.position)
    nearest = math.inf
    while not machine.done and eyes.time < 300.0:
        eyes.follow(drone, eyes.time + DT)
        machine.step(eyes.read(), commander)
        commander.advance(DT)
        nearest = min(nearest, float(world.distance(drone.position)) if drone.position[2] > 0.6 else nearest)
    assert machine.state == "home", machine.log
    assert len(machine.states["map"].task.rows) == 2
    assert nearest > 0.35
    assert not commander.armed


def test_a_drone_without_a_rover_cannot_be_driven():
    spec = quadrotor_spec(tl.Scenario.load("opposite", {"uav.robot": "x500"}).uav.robot)
    with pytest.raises(InputError, match="has no rover"):
        LoneCommander(LoneQuadrotor(spec, position=(0.0, 0.0, 1.0))).drive_to(np.zeros(2))
