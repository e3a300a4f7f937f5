"""`tl.Scenario`: a run as its author writes it, checked, complete, and in SI."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from pydantic import Field

from tetherlab.contracts.errors import InputError
from tetherlab.scenario.document import Document
from tetherlab.scenario.inspection import InspectionSection
from tetherlab.scenario.inspection_problems import inspection_problems
from tetherlab.scenario.line import TetherSection, WinchSection
from tetherlab.scenario.localisation import Localisation
from tetherlab.scenario.mission import Mission, Run, too_many_steps
from tetherlab.scenario.power import Power, power_spec
from tetherlab.scenario.problems import KeyPath
from tetherlab.scenario.reach import turned, unreachable_targets
from tetherlab.scenario.team import Uav, Ugv
from tetherlab.scenario.written import WrittenScenario, in_a_plane, in_the_canopy
from tetherlab.vehicles.dish import stand_height


class Scenario(WrittenScenario):
    """World, tether, winch, vehicles, mission and run. Load one by its name: `Scenario.load("theatre")`."""

    tether: TetherSection
    winch: WinchSection
    uav: Uav
    ugv: Ugv
    mission: Mission = Mission()
    inspection: InspectionSection | None = Field(
        default=None, description="walls that the drone maps by its own sensors, in place of targets"
    )
    localisation: Localisation | None = Field(
        default=None, description="how the drone finds its position; if not given, it knows"
    )
    power: Power | None = Field(
        default=None, description="that comes through the tether; if not given, the drone needs none"
    )
    run: Run = Run()
    assumed: dict[str, str] = Field(
        default={}, description="keys that no source gives a value for, and why they have theirs"
    )

    @classmethod
    def _look_first(cls, document: Document) -> None:
        if in_the_canopy(document.data):
            raise InputError(
                f"{document.places[()].title}: a robot in the canopy, since it has a section 'canopy': "
                f"use tl.CanopyScenario and tl.CanopySimulation, or tl.run"
            )
        if in_a_plane(document.data):
            raise InputError(
                f"{document.places[()].title}: a plan of a team, since it has a section 'plane': use tl.run"
            )

    def _impossible(self) -> Iterable[tuple[KeyPath, str]]:
        endless = too_many_steps(self.run.duration_max, self.run.step)
        if endless:
            yield ("run", "step_s"), endless
        yield from inspection_problems(self)
        yield from unreachable_targets(self)
        try:
            power_spec(self)
        except InputError as error:
            yield ("power",), str(error)

    @property
    def seed(self) -> int:
        """Of all random numbers of the run."""
        return self.run.seed

    @property
    def tether_exit(self) -> tuple[float, float, float]:
        """Where the tether leaves the ground robot, in its frame [m]."""
        return self.ugv.robot.platform.tether_exit or self.winch.exit

    @property
    def uav_start(self) -> tuple[float, float, float]:
        """Where the centre of mass of the drone starts [m]."""
        if self.uav.start is not None:
            return self.uav.start
        platform, robot = self.ugv.robot.platform, self.uav.robot
        middle = [(low + high) / 2.0 for low, high in zip(platform.lower, platform.upper, strict=True)]
        feet = np.array([[*foot, robot.foot_radius] for foot in robot.feet])
        dish = platform.depression
        hollow = None if dish is None else np.array((dish.floor_radius, dish.rim_radius, dish.depth))
        height = platform.upper[2] + stand_height(feet, hollow)
        x, y, z = turned((middle[0], middle[1], height), self.ugv.yaw) + self.ugv.start
        return float(x), float(y), float(z)
