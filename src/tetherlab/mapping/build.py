"""From a flight to a map: keyframes, registrations, the pose graph, and one cloud of all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.autonomy import DepthImage
from tetherlab.contracts.cloud import Cloud
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.track import Track
from tetherlab.mapping.cloud import voxel_means, with_normals
from tetherlab.mapping.keyframes import Keyframe, group_views, make_keyframe
from tetherlab.mapping.pose_graph import BELIEVED, Edge, Solution, solve_graph
from tetherlab.mapping.registration import register

Array = NDArray[np.float64]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class MapSpec:
    """How a map is made."""

    resolution: float = 0.025  # of the map, size of its voxels [m]
    spacing: float = 0.35  # of keyframes along the flight [m]
    turn: float = 0.3  # of the heading after which a new one begins [rad]
    coarse: float = 0.05  # size of voxels that are registered [m]
    reach: float = 0.1  # farthest neighbours that belong together in the end [m]
    range_max: float = 2.5  # of the depth: beyond it tilt and noise blur the map [m]
    camera: tuple[float, float, float] = (0.1, 0.0, 0.1)  # where it is on the drone, in its own axes [m]
    seen_again: float = 1.6  # keyframes nearer than this see the same wall [m]
    apart: float = 10.0  # and those so long apart are looked for as loops [s]
    overlap_min: float = 0.15  # share of points that must find a neighbour
    residual_max: float = 0.03  # of a registration that is believed, RMS [m]
    tilt_deviation: float = 0.005  # of the autopilot's roll and pitch [rad]

    def __post_init__(self) -> None:
        check.vector("camera", self.camera)
        for name in vars(self):
            if name != "camera":
                check.positive(name, getattr(self, name))


class WallMap(NamedTuple):
    """A map and how it came about."""

    cloud: Cloud
    track: Track  # of the keyframes, by odometry
    position: Array  # of the keyframes, by everything [m], (n, 3)
    yaw: Array  # [rad], (n,)
    edges: tuple[Edge, ...]
    weights: Array  # of the edges; below BELIEVED: contradicted by the others, (m,)

    @property
    def loops(self) -> int:
        """Places that were recognised, neighbours along the flight apart."""
        believed = zip(self.edges, self.weights, strict=True)
        return sum(abs(edge.first - edge.second) > 2 and weight > BELIEVED for edge, weight in believed)

    def corrected(self, track: Track) -> Array:
        """Positions of the whole flight [m], (n, 3): odometry, and what the map found out of it."""
        moved = self.position - self.track.position
        wanted = [np.interp(track.time, self.track.time, moved[:, i]) for i in range(3)]
        return track.position + np.stack(wanted, axis=1)


def build_map(
    images: Iterable[DepthImage],
    track: Track,
    spec: MapSpec | None = None,
    *,
    say: Callable[[str], None] = lambda text: None,
) -> WallMap:
    """The map of a flight, frame W of the track. Images may be made as they are asked for."""
    spec = spec or MapSpec()
    say("collecting keyframes")
    frames = []
    for group in group_views(images, track, spec.spacing, spec.turn):
        frame = make_keyframe(
            group,
            track,
            camera=spec.camera,
            range_max=spec.range_max,
            fine=spec.resolution,
            coarse=spec.coarse,
        )
        if frame is not None:
            frames.append(frame)
    if not frames:
        raise InputError("no depth image was taken within the track, or none saw anything: there is no map")
    thin = track.thin(np.array([frame.sample for frame in frames]))
    say(f"registering {len(frames)} keyframes along the flight")
    edges = list(
        _register(frames, _neighbours(len(frames)), solve_graph(thin, [], spec.tilt_deviation), spec)
    )
    solution = solve_graph(thin, edges, spec.tilt_deviation)
    loops = _seen_again(thin.time, solution.position, spec)
    say(f"registering {len(loops)} places that were seen again")
    edges += _register(frames, loops, solution, spec)
    solution = solve_graph(thin, edges, spec.tilt_deviation)
    # Once more from where everything agrees: what was led astray by a poor guess may now fit.
    doubtful = [(e.first, e.second) for e, w in zip(edges, solution.weights, strict=True) if w < BELIEVED]
    if doubtful:
        wrong = set(doubtful)
        edges = [edge for edge in edges if (edge.first, edge.second) not in wrong]
        edges += _register(frames, doubtful, solution, spec)
        solution = solve_graph(thin, edges, spec.tilt_deviation)
    say("joining")
    yaw = thin.yaw + (solution.rotation.as_euler("ZYX")[:, 0] - thin.yaw + math.pi) % math.tau - math.pi
    cloud = _join(frames, solution, spec.resolution)
    return WallMap(cloud, thin, solution.position, yaw, tuple(edges), solution.weights)


def _neighbours(count: int) -> list[tuple[int, int]]:
    """Pairs along the flight: the next one and the one after."""
    return [(i, i + step) for step in (1, 2) for i in range(count - step)]


def _seen_again(time: Array, position: Array, spec: MapSpec) -> list[tuple[int, int]]:
    """For each keyframe the nearest one of each earlier pass."""
    pairs = []
    for i in range(1, len(time)):
        far = np.linalg.norm(position[:i] - position[i], axis=1)
        near = np.flatnonzero((far < spec.seen_again) & (time[i] - time[:i] > spec.apart))
        for one_pass in np.split(near, np.flatnonzero(np.diff(near) > 1) + 1):
            if len(one_pass):
                pairs.append((int(one_pass[far[one_pass].argmin()]), i))
    return pairs


def _register(
    frames: Sequence[Keyframe], pairs: Iterable[tuple[int, int]], guess: Solution, spec: MapSpec
) -> Iterator[Edge]:
    for first, second in pairs:
        target, source = frames[first], frames[second]
        found = register(target.cloud, target.tree, source.cloud, guess.between(first, second), spec.reach)
        if found and found.overlap > spec.overlap_min and found.residual < spec.residual_max:
            yield Edge(first, second, found)


def _join(frames: Sequence[Keyframe], solution: Solution, resolution: float) -> Cloud:
    """All keyframes in one cloud."""
    rows = []
    for frame, place, rotation in zip(frames, solution.position, solution.rotation.as_matrix(), strict=True):
        points = frame.points @ rotation.T + place
        eye = rotation @ frame.eye + place
        rows.append(np.hstack([points, np.broadcast_to(eye, points.shape)]))
    counts = np.concatenate([frame.counts for frame in frames])
    means, counts = voxel_means(np.concatenate(rows), resolution, counts)
    return with_normals(means[:, :3], counts, means[:, 3:] - means[:, :3])
