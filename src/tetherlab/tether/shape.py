"""Where the nodes are at the start."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.tether.catenary import Catenary
from tetherlab.tether.spec import TetherSpec
from tetherlab.world.world import World

STRAIN_MAX = 0.2  # a tether stretched more than this at the start is taken as a mistake


def initial_nodes(
    base: Any, end: Any, length: float, count: int, shape: Any, spec: TetherSpec, world: World
) -> NDArray[np.float64]:
    """Nodes from base to end, (count + 1, 3): along `shape`, or hanging at rest, or stretched straight."""
    base, end = check.vector("base", base), check.vector("end", end)
    for name, point in (("base", base), ("end", end)):
        depth = -float(world.distance(point))
        if depth > 0.5 * spec.diameter:
            raise InputError(
                f"{name} = {point.tolist()} lies {depth:.3g} m inside an obstacle; it must be in free space"
            )
    apart = float(np.linalg.norm(end - base))
    if shape is not None:
        nodes = _along(check.points("shape", shape), base, end, count)
        path = float(np.linalg.norm(np.diff(nodes, axis=0), axis=1).sum())
        _check_strain("shape", path, length, spec)
        if path < 0.98 * length:
            raise InputError(
                f"shape is {path:.4g} m long and length is {length:g} m: a tether cannot start compressed; "
                "give a longer shape, or pay out the rest by reel_speed"
            )
    elif length <= apart:
        _check_strain("the distance from base to end", apart, length, spec)
        nodes = base + np.linspace(0.0, 1.0, count + 1)[:, None] * (end - base)
    elif world.gravity > 0.0:
        nodes = Catenary.between(base, end, length).sample(count + 1)
    else:
        raise InputError("a slack tether without gravity has no shape at rest: give `shape`")
    return _lift(nodes, 0.5 * spec.diameter, world)


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
    shape: NDArray[np.float64], base: NDArray[np.float64], end: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    """Points equally spaced along a polyline."""
    if len(shape) < 2:
        raise InputError(f"shape must have at least 2 points, got {len(shape)}")
    for name, point, given in (("base", base, shape[0]), ("end", end, shape[-1])):
        if np.linalg.norm(point - given) > 1e-6:
            raise InputError(
                f"shape must run from base to end: its {name} is {given.tolist()}, not {point.tolist()}"
            )
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(shape, axis=0), axis=1))])
    if way[-1] <= 0.0:
        raise InputError("shape must have a length > 0; all its points coincide")
    stations = np.linspace(0.0, way[-1], count + 1)
    return np.stack([np.interp(stations, way, shape[:, k]) for k in range(3)], axis=1)


def _lift(nodes: NDArray[np.float64], radius: float, world: World) -> NDArray[np.float64]:
    """Move nodes that lie inside obstacles to their surface; the ends stay where they were put."""
    for _ in range(4):
        inner = nodes[1:-1]
        depth = radius - np.asarray(world.distance(inner))
        inside = depth > 0.0
        if not inside.any():
            return nodes
        inner[inside] += depth[inside, None] * np.asarray(world.gradient(inner[inside]))
    middles = 0.5 * (nodes[1:] + nodes[:-1])
    deepest = int(np.argmin(world.distance(middles)))
    if float(world.distance(middles[deepest])) < -radius:
        raise InputError(
            f"the tether would start inside an obstacle near {middles[deepest].round(3).tolist()}: "
            "give `shape`, a polyline round it"
        )
    return nodes
