"""The world that users build, load and ask."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.documents import read_yaml, write_yaml
from tetherlab.contracts.errors import InputError
from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.world import batch
from tetherlab.world.document import (
    DARKNESS,
    DAYLIGHT,
    PLACE,
    SEA_LEVEL_AIR_DENSITY,
    STANDARD_GRAVITY,
    describe_mine,
    describe_place,
    describe_shape,
    describe_wind,
    in_written_words,
    parse_world,
)
from tetherlab.world.field import Field
from tetherlab.world.maps import MAP_SUFFIXES, load_map, save_grid
from tetherlab.world.mine import Mine
from tetherlab.world.packing import IDENTITY_POSE, pack
from tetherlab.world.shapes import Plane, Relief, Shape, Vector, VoxelGrid, require_shapes, unit_quaternion
from tetherlab.world.wind import Wind

YAML_SUFFIXES = (".yaml", ".yml")
FIXED = ("air_density", "field", "gravity", "illuminance", "mine", "names", "shapes", "wind")


class World:
    """Obstacles, gravity [m/s^2], air [kg/m^3], wind and light [lux] around the robots.

    Distances are > 0 in free space.

    Each shape of the list is one object. A shape without a name is called after its kind and its place in the
    list, such as `box_2`. A world stays as it is made; only `place` changes it, moving an object as a whole.
    """

    def __init__(
        self,
        shapes: Sequence[Shape] = (),
        *,
        gravity: float = STANDARD_GRAVITY,
        air_density: float = SEA_LEVEL_AIR_DENSITY,
        wind: Wind | None = None,
        illuminance: float = DAYLIGHT,
    ) -> None:
        self._shapes = require_shapes("shapes", shapes)
        self._gravity = check.non_negative("gravity", gravity)
        self._air_density = check.non_negative("air_density", air_density)
        if wind is not None and not isinstance(wind, Wind):
            raise InputError(f"wind must be a tl.Wind or None, got {wind!r}")
        self._wind = wind
        self._illuminance = check.non_negative("illuminance", illuminance)
        self._mine: Mine | None = None
        self._names = tuple(s.name or f"{type(s).__name__.lower()}_{i}" for i, s in enumerate(self.shapes))
        for name, count in Counter(self.names).items():
            if count > 1:
                raise InputError(f"shapes must have different names, got {name!r} more than once")
        count = len(self.shapes)
        self._field = pack(
            self.shapes,
            np.zeros(count, dtype=np.int64),
            np.tile(IDENTITY_POSE, (count, 1)),
            np.zeros((count, 6)),
        )

    @classmethod
    def ground(cls, height: float = 0.0, friction: float | None = None) -> World:
        """Flat ground at a height [m] and nothing else."""
        point = (0.0, 0.0, check.number("height", height))
        return cls([Plane(point=point, name="ground", friction=friction)])

    @classmethod
    def of_mine(
        cls, mine: Mine, more: Sequence[Shape] = (), *, illuminance: float = DARKNESS, **others: Any
    ) -> World:
        """A mine and more objects in it, dark unless there are lamps; `others` as for any world."""
        check.instance("mine", mine, Mine)
        world = cls([*mine.shapes, *require_shapes("more", more)], illuminance=illuminance, **others)
        world._mine = mine
        return world

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        resolution: float | None = None,
        margin: float | None = None,
        lower: Vector | None = None,
        upper: Vector | None = None,
        unknown_is: str | None = None,
    ) -> World:
        """A world from a YAML file, or from a single map file (`.bt .stl .obj .ply .xyz .npz`).

        For a map file only, since in YAML they stand beside its name:
        resolution: of the lattice on which a mesh or point cloud is measured [m].
        margin: how far round the map distances are as fine as the lattice, 0.5 unless given [m].
        lower, upper: occupied voxels outside of these corners are left out [m], (3,).
        unknown_is: "free" (unless given) or "occupied", what an OctoMap does not know.
        """
        path = Path(path)
        given = {
            "resolution": resolution,
            "margin": margin,
            "lower": lower,
            "upper": upper,
            "unknown_is": unknown_is,
        }
        options: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        if path.suffix.lower() not in YAML_SUFFIXES:
            if path.suffix.lower() not in MAP_SUFFIXES:
                known = ", ".join(YAML_SUFFIXES + MAP_SUFFIXES)
                raise InputError(f"{path}: a world file must end in one of {known}, got {path.suffix!r}")
            return cls([load_map(path, name=path.stem, **options)])
        if options:
            raise InputError(f"{path}: options of a map stand in the YAML file itself, got {sorted(options)}")
        return cls.from_dict(read_yaml(path), folder=path.parent, source=str(path))

    @classmethod
    def from_dict(cls, data: Any, *, folder: str | Path = ".", source: str = "world") -> World:
        """A world from its written form; map files are relative to `folder`."""
        parts = parse_world(data, folder=Path(folder), source=source)
        rest: dict[str, Any] = {
            "gravity": parts.gravity,
            "air_density": parts.air_density,
            "wind": parts.wind,
            "illuminance": parts.illuminance,
        }
        try:
            world = (
                cls(parts.shapes, **rest)
                if parts.mine is None
                else cls.of_mine(parts.mine, parts.shapes, **rest)
            )
        except InputError as error:
            raise InputError(f"{source}: {error}") from None
        first = len(world.shapes) - len(parts.shapes)
        for index, place in parts.places.items():
            try:
                world.place(world.names[first + index], **place)
            except InputError as error:
                text = in_written_words(str(error), PLACE)
                raise InputError(f"{source}: shapes[{index}].place: {text}") from None
        return world

    def save(self, path: str | Path) -> None:
        """Write the world as YAML; distance grids and heights go beside it as `.npz` and `.npy`, numbered."""
        write_yaml(self.to_dict(beside=path, complete=False), path)

    def to_dict(self, *, beside: str | Path | None = None, complete: bool = True) -> dict[str, Any]:
        """The written form, as `from_dict` reads it.

        beside: distance grids and heights are written beside this file as `.npz` and `.npy`, numbered; a
        world that has some needs it. complete: their paths are complete, not relative to that file.
        """
        files: list[str] = []

        def store(shape: VoxelGrid | Relief) -> str:
            if beside is None:
                kind = type(shape).__name__
                raise InputError(f"a {kind} of a world goes into a file of its own: say beside which one")
            path = Path(beside)
            files.append(f"{path.stem}-{len(files)}.{'npz' if isinstance(shape, VoxelGrid) else 'npy'}")
            if isinstance(shape, VoxelGrid):
                save_grid(shape, path.parent / files[-1])
            else:
                np.save(path.parent / files[-1], shape.heights)
            return str((path.parent / files[-1]).resolve()) if complete else files[-1]

        return self._described(store)

    def _described(self, store: Callable[[VoxelGrid | Relief], str]) -> dict[str, Any]:
        """The written form; store: writes grids and heights and returns the name of the file."""
        # A mine is made again from its few numbers, unless its rock has been moved.
        mine = self.mine
        own = 0 if mine is None else len(mine.shapes)
        if self._field.objects[:own, 1].any():
            mine, own = None, 0
        written = [describe_shape(shape, store) for shape in self.shapes[own:]]
        for index, item in enumerate(written, start=own):
            if self._field.objects[index, 1]:
                item["place"] = describe_place(self._field.pose[index], self._field.twist[index])
        document: dict[str, Any] = {
            "gravity_m_per_s2": self.gravity,
            "air_density_kg_per_m3": self.air_density,
            "illuminance_lux": self.illuminance,
        }
        if mine is not None:
            document["mine"] = describe_mine(mine)
        if self.wind is not None:
            document["wind"] = describe_wind(self.wind)
        return {**document, "shapes": written}

    def __setattr__(self, name: str, value: Any) -> None:
        """Only what begins with an underscore may change: what a tether once read would not follow."""
        if name in FIXED:
            raise AttributeError(
                f"{name} of a World cannot be changed, since tethers read it when they are made:"
                " make a new World"
            )
        super().__setattr__(name, value)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The objects as they were given."""
        return self._shapes

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the objects."""
        return self._names

    @property
    def gravity(self) -> float:
        """Downwards [m/s^2]."""
        return self._gravity

    @property
    def air_density(self) -> float:
        """[kg/m^3]."""
        return self._air_density

    @property
    def wind(self) -> Wind | None:
        """The wind, None if it is calm."""
        return self._wind

    @property
    def illuminance(self) -> float:
        """How light it is without lamps of one's own [lux]."""
        return self._illuminance

    @property
    def mine(self) -> Mine | None:
        """The mine that this world is, with the true faces of its pillars; None if it is another place."""
        return self._mine

    @property
    def field(self) -> Field:
        """The world for compiled code, with the objects where they are now; later moves do not change it."""
        return self._field

    def index(self, name: str) -> int:
        """The number of a named object."""
        if not self.names:
            raise InputError(f"the world has no object {name!r}: it is empty")
        if name not in self.names:
            raise InputError(f"the world has no object {name!r}.{check.did_you_mean(name, self.names)}")
        return self.names.index(name)

    def place(
        self,
        name: str,
        *,
        position: Vector,
        rotation_wxyz: Vector = (1.0, 0.0, 0.0, 0.0),
        velocity: Vector = (0.0, 0.0, 0.0),
        angular_velocity: Vector = (0.0, 0.0, 0.0),
    ) -> None:
        """Put an object somewhere: its shapes are then read in its own frame O.

        position p_WO [m], rotation q_WO, velocity of the origin [m/s], angular velocity [rad/s]; world frame.
        """
        index = self.index(name)
        R_WO = matrix_from_quaternion(unit_quaternion("rotation_wxyz", rotation_wxyz))
        objects, pose, twist = self._field.objects.copy(), self._field.pose.copy(), self._field.twist.copy()
        objects[index, 1] = 1
        pose[index, :9] = R_WO.ravel()
        pose[index, 9:] = check.vector("position", position)
        twist[index, :3] = check.vector("velocity", velocity)
        twist[index, 3:] = check.vector("angular_velocity", angular_velocity)
        self._field = self._field._replace(objects=objects, pose=pose, twist=twist)

    def with_objects(self, more: Sequence[Shape]) -> World:
        """The same world with more objects, which come last."""
        world = World(
            [*self.shapes, *more],
            gravity=self.gravity,
            air_density=self.air_density,
            wind=self.wind,
            illuminance=self.illuminance,
        )
        world._mine = self._mine
        count = len(self.shapes)
        for new, old in zip(world._field[3:], self._field[3:], strict=True):
            new[:count] = old
        return world

    def copy(self) -> World:
        """The same world; placing an object in one does not move it in the other."""
        return copy.copy(self)

    def distance(self, points: Any) -> Any:
        """Signed distance to the nearest surface [m], (n,) for points (n, 3), a float for one point (3,).

        Exact outside of shapes and unions. On a map it is as fine as its lattice up to the margin round it.
        Farther out, and near differences, it is a lower bound: never more than the true distance. Far from a
        map it is at least the distance to the box round the map.
        """
        many, single = _rows("points", points)
        result = batch.distances(self._field, many)
        return float(result[0]) if single else result

    def gradient(self, points: Any) -> Any:
        """Unit vector of steepest increase of the distance, (n, 3) or (3,); up in an empty world."""
        many, single = _rows("points", points)
        result = batch.gradients(self._field, many)
        return result[0] if single else result

    def raycast(self, origins: Any, directions: Any, range_max: float) -> Any:
        """Distance along rays to the first surface [m], (n,) or a float; `range_max` where nothing is met.

        One origin may serve many directions and the reverse. Directions need not be unit vectors.
        A ray that starts inside an object has range 0.
        """
        starts, single_start = _rows("origins", origins)
        ways, single_way = _rows("directions", directions)
        lengths = np.linalg.norm(ways, axis=1)
        if np.any(lengths < 1e-12):
            raise InputError(f"directions must not be zero, got zero at directions[{int(lengths.argmin())}]")
        if len(starts) != len(ways) and not single_start and not single_way:
            raise InputError(f"origins and directions must match, got {len(starts)} and {len(ways)}")
        count = len(ways) if single_start else len(starts)
        starts = np.ascontiguousarray(np.broadcast_to(starts, (count, 3)))
        ways = np.ascontiguousarray(np.broadcast_to(ways / lengths[:, None], (count, 3)))
        result = batch.ranges(self._field, starts, ways, check.positive("range_max", range_max))
        return float(result[0]) if single_start and single_way else result

    def __repr__(self) -> str:
        return f"World({len(self.names)} objects: {', '.join(self.names)})"


def _rows(name: str, value: Any) -> tuple[NDArray[np.float64], bool]:
    """Points as (n, 3), and whether a single point was given."""
    if np.ndim(value) == 1:
        return check.vector(name, value)[None], True
    return check.points(name, value), False
