"""Where the nodes are at the start."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.tether.catenary import Catenary
from tetherlab.tether.equilibrium import hanging_chain
from tetherlab.tether.piercing import cutting_elements, first_inside
from tetherlab.tether.spec import TetherSpec
from tetherlab.world.world import World

STRAIN_MAX = 0.2  # a tether stretched more than this at the start is taken as a mistake
SHORTEST = 0.98  # of the length: a shape may be this much shorter


def initial_shape(
    base: Any, end: Any, length: float, count: int, shape: Any, held: bool, spec: TetherSpec, world: World
) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    """Nodes from base to end, (n + 1, 3), unstretched lengths (n,), and whether it must yet settle.

    Along `shape`, or hanging at rest, or stretched straight. n is `count`, or more where a shape bends round
    something between two nodes. held: whether both ends are. A taut tether pulls at once on an end that is
    not, so that there is no rest, and it starts straight. So does one as long as its ends are apart: it is
    without tension, as whoever writes such a length expects.
    """
    settle = False
    base, end = check.vector("base", base), check.vector("end", end)
    for name, point in (("base", base), ("end", end)):
        depth = -float(world.distance(point))
        if depth > 0.5 * spec.diameter:
            raise InputError(f"{name} = {point.tolist()} lies {depth:.3g} m inside an obstacle; move it out")
    apart = float(np.linalg.norm(end - base))
    stations = np.linspace(0.0, 1.0, count + 1)
    if shape is not None:
        polyline = check.points("shape", shape)
        nodes, stations = _along(polyline, base, end, length, count, 0.5 * spec.diameter, world)
        path = float(np.linalg.norm(np.diff(polyline, axis=0), axis=1).sum())
        _check_strain("shape", path, length, spec)
        if path < SHORTEST * length:
            raise InputError(
                f"shape is {path:.4g} m long and length is {length:g} m: a tether cannot start compressed; "
                "give a longer shape, or pay out the rest by reel_speed"
            )
    elif (1.0 - 1e-9) * length <= apart:
        _check_strain("the distance from base to end", apart, length, spec)
        nodes = base + stations[:, None] * (end - base)
        stretched = apart > (1.0 + 1e-9) * length
        rest = _at_rest(base, end, length, count, spec, world) if held and stretched else None
        if rest is not None and first_inside(rest, 0.5 * spec.diameter, world) is None:
            nodes = rest
    elif world.gravity > 0.0:
        rest = _at_rest(base, end, length, count, spec, world)
        nodes = Catenary.between(base, end, length).sample(count + 1) if rest is None else rest
        if _cuts(nodes, 0.5 * spec.diameter, world):
            # It cannot hang freely: hold it up as an arch, and let it come down on what is there.
            straight = base[2] + stations * (end[2] - base[2])
            nodes[:, 2] = 2.0 * straight - nodes[:, 2]
            settle = True
    else:
        raise InputError("a slack tether without gravity has no shape at rest: give `shape`")
    met = first_inside(nodes, 0.5 * spec.diameter, world)
    if met is not None:
        where, name = met
        raise InputError(
            f"the tether would start inside an obstacle, {name!r}, near {where.round(3).tolist()}: "
            "give `shape`, a polyline round it"
        )
    if shape is not None and len(polyline) != len(nodes):
        # Chords are shorter than the curve, most where they cut a corner: all elements share that.
        stations = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(nodes, axis=0), axis=1))])
        stations /= stations[-1]
    return nodes, length * np.diff(stations), settle


def _at_rest(
    base: NDArray[np.float64],
    end: NDArray[np.float64],
    length: float,
    count: int,
    spec: TetherSpec,
    world: World,
) -> NDArray[np.float64] | None:
    rest = np.full(count, length / count)
    return hanging_chain(base, end, rest, spec.linear_density, spec.axial_stiffness, world.gravity)


def _check_strain(what: str, path: float, length: float, spec: TetherSpec) -> None:
    strain = path / length - 1.0
    if strain > STRAIN_MAX:
        raise InputError(
            f"length = {length:g} m is too short: {what} is {path:g} m long, a strain of "
            f"{100 * strain:.3g} %; at most {100 * STRAIN_MAX:g} % is taken as a start"
        )
    if strain * spec.axial_stiffness > spec.strength:
        raise InputError(
            f"length = {length:g} m is too short: {what} is {path:g} m long, which needs "
            f"{strain * spec.axial_stiffness:.3g} N; the tether's strength is {spec.strength:g} N"
        )


def _along(
    shape: NDArray[np.float64],
    base: NDArray[np.float64],
    end: NDArray[np.float64],
    length: float,
    count: int,
    radius: float,
    world: World,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The nodes of a polyline, and their places along it from 0 to 1.

    Its own points if they could be those of equal elements; else points equally spaced along it, and its
    corners where a chord would cut into an obstacle.
    """
    if len(shape) < 2:
        raise InputError(f"shape must have at least 2 points, got {len(shape)}")
    for name, point, given in (("base", base, shape[0]), ("end", end, shape[-1])):
        if np.linalg.norm(point - given) > 1e-6:
            raise InputError(
                f"shape must run from base to end: its {name} is {given.tolist()}, not {point.tolist()}"
            )
    chords = np.linalg.norm(np.diff(shape, axis=0), axis=1)
    stretch = chords * count / length
    if len(shape) == count + 1 and stretch.min() >= SHORTEST and stretch.max() <= 1.0 + STRAIN_MAX:
        return shape, np.linspace(0.0, 1.0, count + 1)
    way = np.concatenate([[0.0], np.cumsum(chords)])
    if way[-1] <= 0.0:
        raise InputError("shape must have a length > 0; all its points coincide")
    stations = np.linspace(0.0, way[-1], count + 1)
    nodes = _interpolate(stations, way, shape)
    cuts = cutting_elements(nodes, radius, world)
    shortest = 0.02 * way[-1] / count
    keep: list[float] = []
    moved: dict[int, float] = {}  # nodes so close to a corner that they give way to it
    for corner, point in zip(way[1:-1].tolist(), shape[1:-1], strict=True):
        k = min(max(int(np.searchsorted(stations, corner)) - 1, 0), count - 1)
        # A chord farther from the corner than an obstacle is may pass on the obstacle's other side.
        if not cuts[k] and _apart(point, nodes[k], nodes[k + 1]) < world.distance(point):
            continue
        near = int(np.argmin(np.abs(stations - corner)))
        off = abs(stations[near] - corner)
        if off > shortest:
            keep.append(corner)
        elif 0 < near < count and off < abs(stations[near] - moved.get(near, math.inf)):
            moved[near] = corner
    for near, corner in moved.items():
        stations[near] = corner
    stations = np.unique(np.concatenate([stations, keep]))
    return _interpolate(stations, way, shape), stations / way[-1]


def _apart(point: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Distance of a point from the line between two others [m]."""
    chord = b - a
    share = float(np.clip((point - a) @ chord / max(float(chord @ chord), 1e-300), 0.0, 1.0))
    return float(np.linalg.norm(a + share * chord - point))


def _interpolate(
    stations: NDArray[np.float64], way: NDArray[np.float64], shape: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.stack([np.interp(stations, way, shape[:, k]) for k in range(3)], axis=1)


def _cuts(nodes: NDArray[np.float64], radius: float, world: World) -> bool:
    """Whether the polygon through the nodes meets an obstacle anywhere but at its two ends.

    Looked at once per diameter, so that it cannot hang through a plate between two nodes.
    """
    spans = np.linalg.norm(np.diff(nodes, axis=0), axis=1)
    pieces = max(2, math.ceil(float(spans.max()) / (2.0 * radius)))
    shares = np.arange(pieces)[:, None, None] / pieces
    points = (nodes[:-1] + shares * (nodes[1:] - nodes[:-1])).transpose(1, 0, 2).reshape(-1, 3)[1:]
    return bool(np.min(world.distance(points)) < 0.5 * radius)
