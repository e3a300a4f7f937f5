"""Vehicles and worlds that these tests share."""

import dataclasses
import math
from functools import cache

import numpy as np

import tetherlab as tl
from tetherlab.scenario.simulation import quadrotor_spec, rover_spec, winch_spec
from tetherlab.vehicles.alone import LoneQuadrotor, LoneRover, LoneWinch

DRONES = ("paper_quadrotor", "qav250", "x500", "oxpecker")
ROVERS = ("paper_ugv", "differential_ugv", "rhino")


@cache
def scenario(**robots):
    """A packaged scenario with other robots."""
    return tl.Scenario.load("vertical", {f"{who}.robot": name for who, name in robots.items()})


def drone_spec(name="paper_quadrotor", **changes):
    """A packaged drone."""
    robot = scenario(uav=name).uav.robot
    return dataclasses.replace(quadrotor_spec(robot), **changes)


def ground_spec(name="paper_ugv", **changes):
    """A packaged ground robot."""
    robot = scenario(ugv=name).ugv.robot
    return dataclasses.replace(rover_spec(robot), **changes)


def reel_spec(**changes):
    """The packaged winch."""
    return dataclasses.replace(winch_spec(scenario()), **changes)


def drone_in_the_air(name="paper_quadrotor", *, wind=None, yaw=0.0, **changes):
    """Over an empty world, its rotors at rest."""
    return LoneQuadrotor(
        drone_spec(name, **changes), position=(0.0, 0.0, 10.0), yaw=yaw, world=tl.World(), wind=wind
    )


def rover_on(world=None, name="paper_ugv", *, settle=1.0, position=(0.0, 0.0, 0.0), **changes):
    """At rest on its wheels."""
    step = changes.pop("step_max", 0.005)
    yaw = changes.pop("yaw", 0.0)
    rover = LoneRover(ground_spec(name, **changes), position=position, yaw=yaw, world=world, step_max=step)
    rover.step(settle)
    return rover


def slope(angle, friction=None):
    """A plane through the origin that rises along +x."""
    normal = (-math.sin(angle), 0.0, math.cos(angle))
    return tl.World(shapes=[tl.shapes.Plane(point=(0, 0, 0), normal=normal, friction=friction)])


def bench_winch(*, length=20.0, paid_out=5.0, tether_diameter=0.008, step_max=0.005, density=0.0, **changes):
    """A winch with nothing but a given pull on its tether."""
    return LoneWinch(
        reel_spec(**changes),
        length=length,
        paid_out=paid_out,
        tether_diameter=tether_diameter,
        tether_density=density,
        step_max=step_max,
    )


def heading(vehicle):
    """Of its x axis [rad]."""
    return math.atan2(vehicle.rotation[1, 0], vehicle.rotation[0, 0])


def yawed(vector, angle):
    """A vector turned about z."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1], vector[2]])
