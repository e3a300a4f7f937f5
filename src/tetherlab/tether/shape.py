"""Where the nodes are at the start."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.tether.catenary import Catenary
from tetherlab.tether.equilibrium import hanging_chain
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
        if rest is not None and not inside(rest, 0.5 * spec.diameter, world):
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
    if inside(nodes, 0.5 * spec.diameter, world):
        middles = 0.5 * (nodes[1:] + nodes[:-1])
        where = middles[int(np.argmin(world.distance(middles)))]
        raise InputError(
            f"the tether would start inside an obstacle near {where.round(3).tolist()}: "
            "give `shape`, a polyline round it"
        )
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
    inner = np.linspace(0.1, 0.9, 9)[:, None, None]
    between = nodes[:-1] + inner * (nodes[1:] - nodes[:-1])
    cuts = np.asarray(world.distance(between.reshape(-1, 3))).reshape(9, -1).min(axis=0) < 0.5 * radius
    corners = way[1:-1][cuts[np.clip(np.searchsorted(stations, way[1:-1]) - 1, 0, count - 1)]]
    shortest = 0.02 * way[-1] / count
    keep = [c for c in corners if np.abs(stations - c).min() > shortest]
    stations = np.unique(np.concatenate([stations, keep]))
    return _interpolate(stations, way, shape), stations / way[-1]


def _interpolate(
    stations: NDArray[np.float64], way: NDArray[np.float64], shape: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.stack([np.interp(stations, way, shape[:, k]) for k in range(3)], axis=1)


def inside(nodes: NDArray[np.float64], radius: float, world: World) -> bool:
    """Whether any of the inner nodes, or the middle of an element, lies in an obstacle."""
    middles = 0.5 * (nodes[1:] + nodes[:-1])
    closest = min(np.min(world.distance(nodes[1:-1])), np.min(world.distance(middles)))
    return bool(closest < 0.5 * radius)


def _cuts(nodes: NDArray[np.float64], radius: float, world: World) -> bool:
    """Whether the polygon through the nodes meets an obstacle anywhere but at its two ends.

    Looked at once per diameter, so that it cannot hang through a plate between two nodes.
    """
    spans = np.linalg.norm(np.diff(nodes, axis=0), axis=1)
    pieces = max(2, math.ceil(float(spans.max()) / (2.0 * radius)))
    shares = np.arange(pieces)[:, None, None] / pieces
    points = (nodes[:-1] + shares * (nodes[1:] - nodes[:-1])).transpose(1, 0, 2).reshape(-1, 3)[1:]
    return bool(np.min(world.distance(points)) < 0.5 * radius)
