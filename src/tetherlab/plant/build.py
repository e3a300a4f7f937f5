"""From what a user describes to the arrays of a plant."""

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.bodies import RigidBody
from tetherlab.contracts.errors import InputError
from tetherlab.math.record import make_records
from tetherlab.math.rigid_body import BODY, POINTS_MAX
from tetherlab.plant.deck_build import (
    CHASSIS,
    DECK,
    lean_on_ground,
    leaning_quaternion,
    stand_on,
    turned,
    with_deck,
)
from tetherlab.plant.model import SCRATCH, Plant
from tetherlab.tether import model as M
from tetherlab.tether.limits import LENGTH_MIN
from tetherlab.tether.spec import TetherSpec
from tetherlab.tether.tether import Tether
from tetherlab.vehicles.build import (
    fill_rover_body,
    make_platform,
    make_quadrotor,
    make_rover,
    make_winch,
)
from tetherlab.vehicles.power.spec import PowerSpec
from tetherlab.vehicles.power.supply import SUPPLY, make_supply
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec, WinchSpec
from tetherlab.world import World
from tetherlab.world.contact import CONTACT
from tetherlab.world.wind import Wind

Vector = NDArray[np.float64]
CLEAR = 1e-3  # between feet and deck at the start [m]


def build_plant(
    world: World,
    tether_spec: TetherSpec,
    quadrotor: QuadrotorSpec,
    rover: RoverSpec,
    winch: WinchSpec,
    *,
    length: float,
    paid_out: float,
    element_length: float,
    rover_position: Vector,
    rover_yaw: float = 0.0,
    drone_position: Vector | None = None,
    drone_yaw: float = 0.0,
    wind: Wind | None = None,
    step: float = 0.005,
    power: PowerSpec | None = None,
    seed: int = 0,
) -> Plant:
    """A plant at rest. The drone stands on the deck, or starts at `drone_position`.

    The rover leans as the ground below it does.
    length: of the whole tether, paid_out: of that, what is out at the start [m]. power: that the tether
    supplies the drone with, if it does. seed: of the noise of a platform that keeps level.
    """
    place, lean = lean_on_ground(world, rover, np.asarray(rover_position, float), rover_yaw)
    R_WB = lean @ turned(rover_yaw)
    team = with_deck(world, rover, place, lean, rover_yaw)
    if drone_position is None:
        if rover.deck_upper is None:
            raise InputError("the drone cannot start on the rover: it has no deck")
        drone_position = place + R_WB @ (stand_on(quadrotor, rover) + np.array((0.0, 0.0, CLEAR)))
    else:
        lean = np.eye(3)
    drone_position = np.asarray(drone_position, float)
    body = RigidBody(
        mass=quadrotor.mass,
        inertia=quadrotor.inertia,
        attachment=quadrotor.attachment,
        feet=quadrotor.feet,
        friction=quadrotor.friction,
        rotation_wxyz=leaning_quaternion(lean, drone_yaw),
    )
    base = place + R_WB @ winch.exit
    tether = Tether(
        tether_spec,
        base=base,
        end=drone_position + lean @ turned(drone_yaw) @ quadrotor.attachment,
        length=paid_out,
        element_length=element_length,
        world=team,
        wind=wind,
        end_body=body,
        step_max=step,
    )
    room = math.ceil(length / element_length) + 32
    memory = M.grow_memory(tether._memory, room)
    field = team.field._replace(pose=team.field.pose.copy(), twist=team.field.twist.copy())
    bodies = make_records(1, BODY)
    fill_rover_body(bodies[0], rover, place, R_WB)
    plant = Plant(
        memory=memory,
        field=field,
        ground=world.field,
        pose=field.pose.copy(),
        wind=tether._wind,
        drone=make_quadrotor(quadrotor, world.air_density),
        rover=make_rover(rover),
        winch=make_winch(
            winch,
            tether_diameter=tether_spec.diameter,
            tether_density=tether_spec.linear_density,
            length=length,
            length_min=2.0 * LENGTH_MIN,
            paid_out=paid_out,
        ),
        platform=make_platform(rover.leveller, np.asarray(rover.center_of_mass, float), seed),
        body=bodies,
        contact=make_records((1, POINTS_MAX), CONTACT),
        rover_origin=-np.asarray(rover.center_of_mass, float),
        exit_B=winch.exit - rover.center_of_mass,
        stand_B=stand_on(quadrotor, rover) - rover.center_of_mass,
        place=np.zeros((4, 3)),
        deck=_named(team, DECK),
        chassis=_named(team, CHASSIS),
        load=np.zeros(6),
        pull=np.zeros((2, 3)),
        acceleration=np.zeros((2, 3)),
        rover_hull=_hull(rover.hull, rover.center_of_mass),
        drone_hull=_hull(quadrotor.hull, np.zeros(3)),
        disc=np.column_stack(
            [quadrotor.rotor_positions, np.full(len(quadrotor.rotor_positions), quadrotor.rotor_radius)]
        ),
        limits=np.array([tether_spec.strength, 2.0 * tether_spec.diameter]),
        seen=np.zeros(4),
        clock=np.zeros(2),
        flag=np.zeros(2, np.int64),
        scratch=make_records(1, SCRATCH),
        supply=make_records(0, SUPPLY) if power is None else make_supply(power, paid_out),
    )
    _find_places(plant)
    return plant


def _find_places(plant: Plant) -> None:
    """The same as `step.find_places`, before anything is compiled."""
    R, p = plant.body["R_WB"][0], plant.body["p_W"][0]
    for i, point in enumerate((plant.rover_origin, plant.exit_B, plant.stand_B)):
        plant.place[i] = p + R @ point
    drone = plant.memory.body[M.END]
    plant.place[3] = drone["p_W"] + drone["R_WB"] @ drone["attachment_B"]


def _hull(spheres: Vector, origin: Vector) -> Vector:
    """Spheres of a hull from the centre of mass, (n, 4)."""
    hull = np.array(spheres, float).reshape(-1, 4)
    hull[:, :3] -= origin
    return hull


def _named(team: World, name: str) -> NDArray[np.int64]:
    """The objects of that name, none or one."""
    return np.array([i for i, other in enumerate(team.names) if other == name], np.int64)
