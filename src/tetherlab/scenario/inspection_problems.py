"""What is allowed key by key in a section `inspection`, and yet cannot be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from tetherlab.contracts.check import did_you_mean
from tetherlab.contracts.errors import InputError
from tetherlab.scenario.problems import KeyPath
from tetherlab.sensors.range_finder import ceiling_finder

if TYPE_CHECKING:
    from tetherlab.scenario.scenario import Scenario

HERE = "inspection"


def inspection_problems(scenario: Scenario) -> Iterable[tuple[KeyPath, str]]:
    """Each with its place."""
    chosen, mission = scenario.inspection, scenario.mission
    if chosen is None:
        if not mission.targets:
            yield ("mission", "targets"), "missing: at least one, or a section inspection in place of them"
        return
    if mission.targets:
        yield ("mission", "targets"), "belong to a mission without the section inspection"
    if scenario.localisation is not None:
        yield (HERE,), "cannot go together with the section localisation: it has sensors of its own"
    if not scenario.uav.on_platform:
        yield (
            ("uav", "on_platform"),
            "must be true with a section inspection: the drone rides to its walls",
        )
    yield from _without_top(scenario)
    mine = scenario.world.mine
    if chosen.stops and chosen.faces:
        yield (HERE, "faces"), "give either stops or faces, not both"
    elif mine is None and not chosen.stops:
        yield (HERE, "stops"), "missing: the world is no mine, whose faces would stand for them"
    elif mine is not None and not chosen.stops:
        known = [f"{face.pillar} {face.side}" for face in mine.faces]
        for index, name in enumerate(chosen.faces):
            if name not in known:
                yield (HERE, "faces", index), f"no face {name!r}.{did_you_mean(name, known)}"
        try:
            mine.route(chosen.stand_off)
        except InputError as error:
            yield (HERE, "stand_off_m"), str(error).removeprefix("stand_off ")


def _without_top(scenario: Scenario) -> Iterable[tuple[KeyPath, str]]:
    """Stops whose walls end nobody knows where."""
    chosen = scenario.inspection
    assert chosen is not None
    if chosen.wall_height is not None:
        return
    far = ceiling_finder().range[1]
    for stop in chosen.stops:
        x, y = stop.route[-1]
        place = np.array((x, y, scenario.ugv.start[2] + chosen.take_off_height))
        if not float(scenario.world.raycast(place, np.array((0.0, 0.0, 1.0)), far)) < far:
            yield (
                (HERE, "wall_height_m"),
                f"missing: there is no ceiling within {far:g} m above {stop.name}, where its rows would end",
            )
            return
