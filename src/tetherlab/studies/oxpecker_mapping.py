"""Mapping of paper 003: Table 2's errors of odometry, the error of a pillar's map, and spalls that are found.

Every flight is a `Survey`: prescribed, with the sensors as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.log import Log
from tetherlab.mapping import Cloud, Difference, MapError, WallMap, build_map, compare_maps, map_error
from tetherlab.mapping.map_error import root_mean_square
from tetherlab.report.mapping_study import draw_changes, draw_map_error, draw_odometry
from tetherlab.scenario.inspection_map import of_face
from tetherlab.sensors.inspection_suite import InspectionSpec
from tetherlab.studies.oxpecker_survey import Survey, SurveySpec
from tetherlab.studies.rows import Row, published
from tetherlab.world.mine import Mine
from tetherlab.world.mine_face import Face, Spall

Array = NDArray[np.float64]
Add = Callable[[Row], None]
STUDY = "oxpecker"
PILLAR, SIDE = "pillar_1", "south"
AXES = ("x", "y", "z")  # ahead, along the wall, up
FLIGHTS, FACES, SPALLS = (
    20,
    3,
    12,
)  # flights of Table 2; faces that are mapped twice; pieces that fell off each
SHORT = {"width": 12.0, "height": 3.0}  # of the wall of Table 2, which the paper does not print [m]
TALL = {"width": 20.0, "height": 8.0}  # of the faces that are mapped [m]
WIDTH, DEPTH = 0.3, 0.1  # of spalls [m]
NEAR = 0.2  # a change so near to a spall's middle is that spall [m]
DRIFT_NOTE = "The drift of the sensor was set once, by the mean errors of this row, over many flights."
DEVIATION_NOTE = "The paper calls this RMSE; being below the mean error it can only be a standard deviation."
MAPPING_TENSION, LOW_TENSION = 3.0, 0.3  # at which faces are mapped, assumed; that of paper 003 [N]
FUSED_NOTE = (
    "Radio, altimeter and tether at 0.3 N, whose sag then says little; the paper fuses radio and inertia."
)


LOW_NOTE = "Distances from one place do not tell a turn about it; what holds the yaw is the tether's azimuth."


class Mapped(NamedTuple):
    """A face that was flown along, with what came of it."""

    survey: Survey
    map: WallMap
    cloud: Cloud  # of the face
    error: MapError  # of that cloud
    odometry: tuple[float, float, float]  # mean 3-D error of VIO, fused live, after mapping [m]


def run(
    add: Add,
    say: Callable[[str], None] = lambda text: None,
    keep: Callable[[str, Log], None] | None = None,
    picture: Callable[[str, Any], None] = lambda name, figure: None,
    *,
    flights: int = FLIGHTS,
    faces: int = FACES,
) -> None:
    """Table 2, maps of faces of 20 x 8 m, and what two of them tell of pieces that fell off in between."""
    table_2(add, say, picture, flights)
    time_lapse(add, say, picture, faces)
    low_tension(add, say)


def table_2(add: Add, say: Callable[[str], None], picture: Callable[[str, Any], None], flights: int) -> None:
    """Errors of odometry alone and fused, the means over flights of two rows."""
    paper = published("oxpecker_mapping")["odometry"]
    spec = SurveySpec(rows=2, tension=LOW_TENSION, sensors=InspectionSpec(ceiling=None, depth_camera=None))
    errors: dict[str, list[Array]] = {"visual": [], "fused": []}
    for seed in range(flights):
        say(f"odometry: flight {seed + 1} of {flights}")
        mine, face = make_face(seed, **SHORT)
        survey = Survey(mine, face, spec, seed)
        for name, found in errors.items():
            filter = survey.fuse(alone=name == "visual")
            away = filter.known_then() - survey.at(filter.track().time)
            found.append(away @ np.stack([-face.normal, face.along, face.up], axis=1))
    for name, found in errors.items():
        for quantity, value in summarise(found).items():
            for axis, printed, here in zip(AXES, paper[name][quantity], value, strict=True):
                note = DRIFT_NOTE if name == "visual" else FUSED_NOTE
                note = DEVIATION_NOTE if quantity == "deviation" else note
                add(Row(STUDY, f"{name} odometry, {quantity} error {axis}", "m", printed, float(here), note))
    sizes = {name: [np.linalg.norm(e, axis=1).mean() for e in found] for name, found in errors.items()}
    ratio = np.mean(sizes["visual"]) / np.mean(sizes["fused"])
    add(Row(STUDY, "odometry, 3-D mean error: visual over fused", "", None, float(ratio)))
    least = float(np.min(np.array(sizes["visual"]) / np.array(sizes["fused"])))
    add(Row(STUDY, "odometry, the same of the worst flight", "", None, least))
    picture("odometry", draw_odometry(errors["visual"], errors["fused"]))


def summarise(errors: list[Array]) -> dict[str, Array]:
    """Of the error's size along each axis: largest, mean and deviation, their means over flights [m]."""
    sizes = [np.abs(error) for error in errors]
    return {
        "max": np.mean([size.max(axis=0) for size in sizes], axis=0),
        "mean": np.mean([size.mean(axis=0) for size in sizes], axis=0),
        "deviation": np.mean([size.std(axis=0) for size in sizes], axis=0),
    }


def time_lapse(add: Add, say: Callable[[str], None], picture: Callable[[str, Any], None], faces: int) -> None:
    """Map faces before and after pieces fell off, and look for them."""
    maps: list[Mapped] = []
    found: list[tuple[int, int]] = []  # spalls found, false ones
    measured: list[tuple[float, float]] = []  # depth, width
    for seed in range(faces):
        mine, face = make_face(seed, **TALL)
        spalls = fall(face, seed, SPALLS)
        pair = []
        for number, state in enumerate((mine, mine.with_spalls(spalls))):
            say(f"face {seed + 1} of {faces}: flight {number + 1} of 2")
            pair.append(map_face(state, SurveySpec(tension=MAPPING_TENSION), 2 * seed + number))
        difference = compare_maps(pair[0].map.cloud, pair[1].map.cloud)
        hits = match(difference, face, spalls)
        found.append((len(hits), len(difference.changes) - len(hits)))
        measured += [(difference.changes[i].depth, difference.changes[i].width) for i in hits.values()]
        maps += pair
        if seed == 0:
            truth = face.points([s.along for s in spalls], [s.up for s in spalls])
            picture("map_error", draw_map_error(pair[0].cloud, pair[0].error, difference.face))
            picture("changes", draw_changes(difference, truth))
        _rows(add, maps, found, measured)


def low_tension(add: Add, say: Callable[[str], None]) -> None:
    """The same with a tether that lies on the floor and tells nothing: the map may turn about the rover."""
    say("a face at low tension")
    mine, _ = make_face(0, **TALL)
    mapped = map_face(mine, SurveySpec(tension=LOW_TENSION), 0)
    add(Row(STUDY, "map at 0.3 N: RMS distance to the rock", "m", None, mapped.error.rms, LOW_NOTE))
    add(
        Row(
            STUDY, "map at 0.3 N: the same, moved to fit best", "m", None, mapped.error.rms_of_shape, LOW_NOTE
        )
    )
    add(Row(STUDY, "map at 0.3 N: fused odometry, 3-D mean error", "m", None, mapped.odometry[1], LOW_NOTE))


def _rows(
    add: Add, maps: list[Mapped], found: list[tuple[int, int]], measured: list[tuple[float, float]]
) -> None:
    """What is known so far."""
    odometry = np.mean([m.odometry for m in maps], axis=0)
    add(Row(STUDY, "face of 20 x 8 m: visual odometry, 3-D mean error", "m", None, float(odometry[0])))
    add(Row(STUDY, "face of 20 x 8 m: fused odometry, 3-D mean error", "m", None, float(odometry[1])))
    add(Row(STUDY, "face of 20 x 8 m: after mapping, 3-D mean error", "m", None, float(odometry[2])))
    rms = [m.error.rms for m in maps]
    add(Row(STUDY, "map: RMS distance to the rock, mean", "m", None, float(np.mean(rms))))
    add(Row(STUDY, "map: RMS distance to the rock, worst", "m", None, float(np.max(rms))))
    shape = [m.error.rms_of_shape for m in maps]
    add(Row(STUDY, "map: the same, moved to fit best, mean", "m", None, float(np.mean(shape))))
    hits, false = np.sum(found, axis=0)
    add(Row(STUDY, "spalls found", "%", None, 100.0 * float(hits) / (SPALLS * len(found))))
    add(Row(STUDY, "false spalls per face", "", None, float(false) / len(found)))
    add(Row(STUDY, "false spalls, most on one face", "", None, float(max(wrong for _, wrong in found))))
    if measured:
        depth, width = (np.array(column) for column in zip(*measured, strict=True))
        add(Row(STUDY, "spalls: RMS error of the depth", "m", None, root_mean_square(depth - DEPTH)))
        add(Row(STUDY, "spalls: RMS error of the width", "m", None, root_mean_square(width - WIDTH)))


def make_face(seed: int, width: float, height: float) -> tuple[Mine, Face]:
    """A mine of one pillar, and the face of it that is flown along."""
    mine = Mine(seed=seed, pillar=(width, width), irregularity=0.0, height=height)
    return mine, mine.face(PILLAR, SIDE)


def fall(face: Face, seed: int, count: int) -> list[Spall]:
    """Pieces to fall off at random places, a metre or more apart and two widths from the rim."""
    random, spalls = np.random.default_rng([seed, 7]), list[Spall]()
    while len(spalls) < count:
        rim = 2.0 * WIDTH
        u, v = random.uniform(rim, face.width - rim), random.uniform(rim, face.height - rim)
        if all(np.hypot(u - s.along, v - s.up) > 1.0 for s in spalls):
            spalls.append(Spall(pillar=face.pillar, side=face.side, along=u, up=v, width=WIDTH, depth=DEPTH))
    return spalls


def map_face(mine: Mine, spec: SurveySpec, seed: int) -> Mapped:
    """Fly along the face, map it, and measure the map against the rock."""
    face = mine.face(PILLAR, SIDE)
    survey = Survey(mine, face, spec, seed)
    filter = survey.fuse()
    track = filter.track()
    found = build_map(survey.images, track)
    alone = survey.fuse(alone=True).known_then()
    flown = survey.at(track.time)
    ways = (alone, filter.known_then(), found.corrected(track))
    x, y, z = (float(np.linalg.norm(way - flown, axis=1).mean()) for way in ways)
    cloud = of_face(found.cloud, face)
    return Mapped(survey, found, cloud, map_error(cloud, survey.world.distance), (x, y, z))


def match(difference: Difference, face: Face, spalls: list[Spall]) -> dict[int, int]:
    """Which change is which spall: number of the spall -> number of the change."""
    hits: dict[int, int] = {}
    for i, change in enumerate(difference.changes):
        u, v, _ = face.in_face(change.position)
        away = [np.hypot(u - s.along, v - s.up) for s in spalls]
        nearest = int(np.argmin(away))
        if away[nearest] < NEAR and change.depth > 0.0:
            hits.setdefault(nearest, i)
    return hits
