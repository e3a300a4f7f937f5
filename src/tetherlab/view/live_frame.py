"""What is seen of a simulation now, of whatever kind, and the numbers of its charts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.robots import Robot
from tetherlab.assembly.scene import Hand
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.math.rotation import quaternion_from_matrix
from tetherlab.scenario.canopy_simulation import CanopySimulation
from tetherlab.scenario.simulation import Simulation
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.spec import QuadrotorSpec
from tetherlab.view.chart_rows import scene_charts, scene_moment
from tetherlab.view.charts import CANOPY_CHARTS, CHARTS, Chart
from tetherlab.view.contacts import CLOSE, MovingShapes
from tetherlab.view.frame import NOTHING, Frame, Pose, Strand
from tetherlab.view.parts import Inventory, inventory
from tetherlab.view.placing import bent_branch, origin_of

Vector = NDArray[np.float64]
UPRIGHT = np.array((1.0, 0.0, 0.0, 0.0))


class Looker:
    """Looks at simulations of one kind."""

    def __init__(self, simulation: Any) -> None:
        described = simulation.scene if isinstance(simulation, SceneSimulation) else simulation.scenario
        self.inventory: Inventory = inventory(described)
        self._moving = MovingShapes(self.inventory.parts)

    @property
    def charts(self) -> Sequence[Chart]:
        """Those beside the scene."""
        if self.inventory.named:
            return scene_charts(self.inventory)
        return CANOPY_CHARTS if self.inventory.parts[0].word == "robot" else CHARTS

    def frame(self, simulation: Any) -> Frame:
        """What is seen now."""
        return frame_of(simulation, self.inventory, self._moving)

    def moment(self, simulation: Any, frame: Frame) -> tuple[float, ...]:
        """The numbers of the charts now, in their order."""
        if isinstance(simulation, SceneSimulation):
            return scene_moment(self.inventory, frame, simulation)
        if isinstance(simulation, CanopySimulation):
            return _canopy_moment(simulation, frame)
        return _team_moment(simulation)


@singledispatch
def frame_of(simulation: Any, drawn: Inventory, moving: MovingShapes) -> Frame:
    """A simulation as it is drawn now; drawn, moving: of its inventory."""
    raise TypeError(f"nothing is known to draw of {simulation!r}")


@frame_of.register
def _(simulation: Simulation, drawn: Inventory, moving: MovingShapes) -> Frame:
    state, mission = simulation.state, simulation.mission
    nodes, tension, contacts = state.tether
    deck = state.deck_angles
    return Frame(
        time=simulation.time,
        poses={
            "uav": Pose(state.uav.position.copy(), quaternion_from_matrix(state.uav.rotation)),
            "ugv": Pose(state.ugv_origin.copy(), quaternion_from_matrix(state.ugv.rotation)),
        },
        tethers={
            "tether": Strand(
                points=nodes,
                tension=tension,
                contacts=contacts if len(contacts) else NOTHING,
                length=state.length,
            )
        },
        targets={"uav": mission.uav.target.copy(), "ugv": mission.ugv.target.copy()},
        decks={} if deck is None else {"ugv": deck},
        idle=frozenset(() if mission.armed else ("uav",)),
    )


@frame_of.register
def _(simulation: CanopySimulation, drawn: Inventory, moving: MovingShapes) -> Frame:
    scenario, (points, tension) = simulation.scenario, simulation.stations
    branches = [section.branch for section in scenario.canopy.branches]
    poses = {
        branch.name: bent_branch(branch, bent)
        for branch, bent in zip(branches, simulation.bends, strict=True)
    }
    attitude = quaternion_from_matrix(simulation.rotation)
    poses["robot"] = origin_of(drawn.parts[0], simulation.position, attitude)
    poses["anchor"] = Pose(np.array(scenario.canopy.anchor, float), UPRIGHT)
    return Frame(
        time=simulation.time,
        poses=poses,
        tethers={
            "tether": Strand(
                points=points,
                tension=tension,
                contacts=moving.touched(points, poses, CLOSE, ()),
                length=simulation.state.tether_length,
            )
        },
        thrusts={"robot": simulation.thrusts},
    )


@frame_of.register
def _(simulation: SceneSimulation, drawn: Inventory, moving: MovingShapes) -> Frame:
    poses, thrusts, idle = {}, {}, []
    for name, part in simulation.scene.parts.items():
        now = simulation[name]
        poses[name] = Pose(now.position, UPRIGHT if isinstance(part, Hand) else now.rotation)
        if isinstance(part, Robot) and isinstance(part.spec, AvocadoRobotSpec):
            thrusts[name] = now.thrusts
        if isinstance(part, Robot) and isinstance(part.spec, QuadrotorSpec) and not now.armed:
            idle.append(name)
    tethers = {}
    for name in simulation.scene.tethers:
        now = simulation[name]
        tension = now.tensions
        contacts = [contact.point for contact in now.contacts]
        tethers[name] = Strand(
            points=now.nodes,
            tension=np.maximum(np.append(tension, 0.0), np.append(0.0, tension)),
            contacts=np.array(contacts) if contacts else NOTHING,
            length=now.length,
        )
    return Frame(time=simulation.time, poses=poses, tethers=tethers, thrusts=thrusts, idle=frozenset(idle))


def _team_moment(simulation: Simulation) -> tuple[float, ...]:
    state, plant = simulation.state, simulation.plant
    return (
        state.length,
        simulation.length_wanted,
        float(np.linalg.norm(state.attachment - state.exit)),
        float(np.linalg.norm(state.ugv.tether_force)),
        float(np.linalg.norm(state.uav.tether_force)),
        float(np.linalg.norm(state.uav.velocity)),
        float(np.linalg.norm(state.ugv.velocity)),
        float(plant.winch["speed"][0]),
        float(plant.part["clearance"][plant.rotorcraft["body"][0]]),
        float(plant.part["clearance"][plant.rover["body"][0]]),
    )


def _canopy_moment(simulation: CanopySimulation, frame: Frame) -> tuple[float, ...]:
    state, wanted = simulation.state, simulation.references(simulation.time)
    angles = (state.theta, wanted.theta, state.heading, wanted.heading)
    lengths = (state.tether_length, wanted.tether_length, state.distance)
    tension = float(frame.tethers["tether"].tension[0])
    return (*np.degrees(angles).tolist(), *lengths, *frame.thrusts["robot"].tolist(), tension)
