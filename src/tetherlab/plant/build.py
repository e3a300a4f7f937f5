"""From what a user describes to the arrays of a plant."""

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import plain
from tetherlab.math.record import make_records
from tetherlab.math.rigid_body import BODY
from tetherlab.plant.deck_build import DECK, lean_on_ground, stand_on, turned, with_deck
from tetherlab.plant.free_part import HANGING
from tetherlab.plant.graph import Graph
from tetherlab.plant.graph_build import (
    TOLERANCE,
    Tie,
    hold_here,
    parted,
    planned,
    rides_of,
    tie_end,
    untied_graph,
)
from tetherlab.plant.hook import HOOK
from tetherlab.plant.model import BERTH, CLOCK, LINE, PART, SCRATCH, Plant
from tetherlab.tether import model as M
from tetherlab.tether.limits import LENGTH_MIN
from tetherlab.tether.spec import TetherSpec
from tetherlab.tether.tether import Tether
from tetherlab.tether.touching import contact_stiffness
from tetherlab.vehicles.avocado.thrusters import ROBOT
from tetherlab.vehicles.build import (
    fill_quadrotor_body,
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
from tetherlab.world.wind import Wind

Vector = NDArray[np.float64]
CLEAR = 1e-3  # between feet and deck at the start [m]
ROVER, DRONE = 0, 1  # bodies of a marsupial team


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
    """A marsupial team at rest. The drone stands on the deck, or starts at `drone_position`.

    The rover leans as the ground below it does; its mass is that with the whole tether on the drum.
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
    R_WD = lean @ turned(drone_yaw)
    tether = Tether(
        tether_spec,
        base=place + R_WB @ winch.exit,
        end=drone_position + R_WD @ quadrotor.attachment,
        length=paid_out,
        element_length=element_length,
        world=team,
        wind=wind,
        step_max=step,
    )
    bodies = make_records(2, BODY)
    fill_rover_body(bodies[ROVER], rover, place, R_WB)
    bodies[ROVER]["mass"] -= tether_spec.linear_density * paid_out
    if not bodies[ROVER]["mass"] > 0.0:
        raise InputError(
            f"the rover weighs {rover.mass:g} kg with its tether, of which the {paid_out:g} m that are out "
            f"weigh {tether_spec.linear_density * paid_out:g} kg alone"
        )
    fill_quadrotor_body(bodies[DRONE], quadrotor, drone_position, R_WD)
    bodies[DRONE]["stiffness"] = plain(contact_stiffness)(tether._model, quadrotor.mass)
    room = math.ceil(length / element_length) + 32
    graph = _tie_team(
        world, team, tether, room, bodies, winch.exit - rover.center_of_mass, quadrotor.attachment
    )
    field = team.field._replace(pose=team.field.pose.copy(), twist=team.field.twist.copy())
    berth = make_records(1, BERTH)
    berth["body"], berth["deck"] = ROVER, _named(team, DECK)
    berth["ride"] = next((i for i, who in enumerate(graph.ride["object"]) if who == _named(team, DECK)), -1)
    berth["exit_B"] = winch.exit - rover.center_of_mass
    berth["stand_B"] = stand_on(quadrotor, rover) - rover.center_of_mass
    drones, rovers = make_quadrotor(quadrotor, world.air_density), make_rover(rover)
    drones["body"], rovers["body"] = DRONE, ROVER
    line = make_records(1, LINE)
    line["strength"], line["rotor_gap"] = tether_spec.strength, 2.0 * tether_spec.diameter
    part, hull = _parts(rover, quadrotor)
    plant = Plant(
        graph=graph,
        parted=parted(graph),
        field=field,
        pose=field.pose.copy(),
        wind=tether._wind,
        rotorcraft=drones,
        rover=rovers,
        thrusters=make_records(0, ROBOT),
        hanging=make_records(0, HANGING),
        hook=make_records(0, HOOK),
        hooked=make_records(0, HANGING),
        winch=make_winch(
            winch,
            tether_diameter=tether_spec.diameter,
            tether_density=tether_spec.linear_density,
            length=length,
            length_min=2.0 * LENGTH_MIN,
            paid_out=paid_out,
        ),
        berth=berth,
        platform=make_platform(rover.leveller, np.asarray(rover.center_of_mass, float), seed),
        supply=make_records(0, SUPPLY) if power is None else make_supply(power, paid_out),
        part=part,
        line=line,
        hull=hull,
        clock=make_records(1, CLOCK),
        scratch=make_records(1, SCRATCH),
    )
    _find_places(plant)
    return plant


def _tie_team(
    world: World,
    team: World,
    tether: Tether,
    room: int,
    bodies: NDArray[np.void],
    exit_B: Vector,
    hook_B: Vector,
) -> Graph:
    """Rover and drone on a tether; what rides on the rover, drone and tether may touch at any time."""
    memory = M.grow_memory(tether._memory, room)
    graph = untied_graph(float(world.gravity), TOLERANCE, bodies, [memory], len(team.names))
    graph.rider[len(world.names) :] = ROVER
    graph = graph._replace(ride=rides_of(graph.rider))
    if len(graph.ride):
        graph.meets[DRONE, ROVER] = 1
        graph.drapes[0, ROVER] = 1
    graph = tie_end(graph, 0, M.BASE, Tie(ROVER, exit_B))
    graph = tie_end(graph, 0, M.END, Tie(DRONE, hook_B))
    hold_here(graph, 0)
    return planned(graph)


def _parts(rover: RoverSpec, quadrotor: QuadrotorSpec) -> tuple[NDArray[np.void], Vector]:
    """What is known of rover and drone, (2,) of PART, and the spheres of their hulls, (n, 4)."""
    hulls = [_hull(rover.hull, rover.center_of_mass), _hull(quadrotor.hull, np.zeros(3))]
    part = make_records(2, PART)
    part["robot"], part["group"] = 1, (ROVER, DRONE)
    part["origin_B"][ROVER] = -np.asarray(rover.center_of_mass, float)
    part["last_sphere"] = np.cumsum([len(hull) for hull in hulls])
    part["first_sphere"][1:] = part["last_sphere"][:-1]
    return part, np.vstack(hulls)


def _find_places(plant: Plant) -> None:
    """The same as `step.find_places`, before anything is compiled."""
    body, line = plant.graph.body, plant.line[0]
    for row, part in zip(body, plant.part, strict=True):
        part["origin_W"] = row["p_W"] + row["R_WB"] @ part["origin_B"]
    rover, berth = body[ROVER], plant.berth[0]
    berth["stand_W"] = rover["p_W"] + rover["R_WB"] @ berth["stand_B"]
    for (who, point), place in zip(plant.graph.tie[0][["body", "r_B"]], ("base_W", "end_W"), strict=True):
        line[place] = body[who]["p_W"] + body[who]["R_WB"] @ point


def _hull(spheres: Vector, origin: Vector) -> Vector:
    """Spheres of a hull from the centre of mass, (n, 4)."""
    hull = np.array(spheres, float).reshape(-1, 4)
    hull[:, :3] -= origin
    return hull


def _named(team: World, name: str) -> int:
    """The object of that name, -1: none."""
    return team.names.index(name) if name in team.names else -1
