"""The random scenes of the fuzz study: what is drawn for a seed, and what the hands and obstacles do.

Ordinary scenes have the tethers, bodies and steps that the packaged scenarios have, with ends that move up to
10 m/s. Wide scenes go to the edges of what `tl.Tether` accepts: EA from 1e2 to 1e7 N, bending stiffness up to
0.3 N m^2, elements of 0.02 to 1 m, calls and internal steps of 0.1 ms to 0.1 s, bodies of 1 g to 100 kg at
both ends, ends that are released and taken hold of while they fly, meshes, voxels and shapes with holes, wind
of 40 m/s, and gravity of Earth, Mars and none.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tetherlab as tl
from tetherlab.world.maps import load_map

TICK = 0.005  # between two orders to an ordinary scene [s]
VIOLENT, QUIET = 3.0, 2.0  # [s]
TICKS_MAX = 1500  # of a scene: with short ticks its phases are shorter
WORK_MAX = 1.5e6  # of a scene, elements times internal steps: with many of both its phases are shorter
ITERATED_MAX = 2e7  # of a phase of a wide scene, elements times iterations of Newton: then it ends early
STEP = 0.005  # longest internal step of an ordinary scene [s]
SPEED_MAX = 10.0  # of the ends [m/s]
TRAVEL_MAX = 0.1  # of the ends within one tick, lest they jump into obstacles [m]
REGION = np.array([[-3.0, -3.0, 0.35], [3.0, 3.0, 4.0]])  # where prescribed ends are kept [m]
LENGTH_RANGE = (0.3, 15.0)  # kept when reeling [m]
POLE_RADIUS = 0.01  # [m]
POLE_REACH = 40.0  # so long that no tether gets past its tips [m]
BODY_RADIUS = 0.1  # [m]
ROAM = 0.5  # how far a moving obstacle goes from its home [m]
GAP = 0.35  # free space between obstacles, more than a body is wide, so that nothing is squeezed [m]
CLEAR = 0.25  # of the ends at the start [m]
END_KINDS = ("prescribed", "point", "rigid")
Vector = NDArray[np.float64]


@dataclass
class Pole:
    """A pole that the tether must not pass through."""

    name: str
    axis: Vector  # unit vector, (3,)
    home: Vector  # a point of the axis, before any motion [m], (3,)


@dataclass
class Change:
    """An end is released or taken hold of at a tick."""

    tick: int
    which: str  # base, end
    what: str  # release, hold, or the kind of body that is attached
    body: Any = None


@dataclass
class Scene:
    """All that a run needs, for a fresh tether each time."""

    seed: int
    spec: tl.TetherSpec
    element_length: float
    length: float
    kinds: tuple[str, str]  # of base and end
    bodies: tuple[Any, Any]
    wind: tl.Wind
    gravity: float = 9.80665
    wide: bool = False
    tick: float = TICK  # [s]
    step_max: float = STEP  # [s]
    changes: list[Change] = field(default_factory=list)
    shapes: list[tl.shapes.Shape] = field(default_factory=list)
    poles: list[Pole] = field(default_factory=list)
    mover: str = ""  # name of the obstacle that moves
    mover_home: Vector = field(default_factory=lambda: np.zeros(3))
    mover_offset: Vector = field(default_factory=lambda: np.zeros((1, 3)))
    mover_velocity: Vector = field(default_factory=lambda: np.zeros((1, 3)))
    mover_spin: float = 0.0  # about the vertical, in the violent phase [rad/s]
    base: Vector = field(default_factory=lambda: np.zeros(3))
    end: Vector = field(default_factory=lambda: np.zeros(3))
    shape: Vector | None = None
    # What the two ends are to do, one row per violent tick: velocity of a hand, force and turning of a body.
    velocity: list[Vector] = field(default_factory=list)
    push: list[Vector] = field(default_factory=list)  # as a share of `strength`
    twist: list[Vector] = field(default_factory=list)  # angular acceleration [rad/s^2]
    reel_speed: Vector = field(default_factory=lambda: np.zeros(1))
    calm_from: int | None = None  # tick, if the violent phase ended early

    @property
    def duration(self) -> float:
        """Of the run [s]."""
        elements = self.length / self.element_length
        return min(
            VIOLENT + QUIET, TICKS_MAX * self.tick, WORK_MAX / elements * min(self.step_max, self.tick)
        )

    @property
    def violent(self) -> int:
        """Ticks of the violent phase."""
        if self.calm_from is not None:
            return self.calm_from
        return max(1, round(VIOLENT / (VIOLENT + QUIET) * self.duration / self.tick))

    def calm_down(self, tick: int) -> None:
        """End the violent phase at this tick."""
        self.calm_from = tick
        self.mover_offset[tick:] = self.mover_offset[min(tick, len(self.mover_offset) - 1)]
        self.mover_velocity[tick:] = 0.0

    @property
    def quiet(self) -> int:
        """Ticks of the quiet phase."""
        return max(4, round(QUIET / (VIOLENT + QUIET) * self.duration / self.tick))

    @property
    def speed_max(self) -> float:
        """Of hands and pushed bodies [m/s]."""
        return min(SPEED_MAX, TRAVEL_MAX / self.tick)

    def strength(self, mass: float) -> float:
        """Largest push on a body [N]: it may not reach its largest speed within one tick."""
        return min(40.0, 0.3 * (mass + 0.1 * self.spec.linear_density * self.length) * SPEED_MAX / self.tick)

    def world(self) -> tl.World:
        """A fresh world with the obstacles where they are at the start."""
        world = tl.World(self.shapes, gravity=self.gravity, wind=self.wind)
        self.place_mover(world, 0)
        return world

    def place_mover(self, world: tl.World, tick: int) -> None:
        """Put the moving obstacle where it is at a tick."""
        if not self.mover:
            return
        turned = 0.5 * self.mover_spin * self.tick * min(tick, self.violent)
        spin = self.mover_spin if tick < self.violent else 0.0
        world.place(
            self.mover,
            position=self.mover_home + self.mover_offset[tick],
            velocity=self.mover_velocity[tick],
            rotation_wxyz=(np.cos(turned), 0.0, 0.0, np.sin(turned)),
            angular_velocity=(0.0, 0.0, spin),
        )

    def tether(self, world: tl.World, step_max: float | None = None) -> tl.Tether:
        """A fresh tether, in the scene's own steps unless others are given."""
        return tl.Tether(
            self.spec,
            base=self.base,
            end=self.end,
            length=self.length,
            element_length=self.element_length,
            shape=self.shape,
            world=world,
            base_body=self.bodies[0],
            end_body=self.bodies[1],
            step_max=self.step_max if step_max is None else step_max,
        )

    def describe(self) -> str:
        """One line for a log."""
        s = self.spec
        names = ",".join(shape.name + ("*" if shape.name == self.mover else "") for shape in self.shapes)
        ends = " to ".join(
            kind + (f" {1e3 * body.mass:.3g} g" if body is not None else "")
            for kind, body in zip(self.kinds, self.bodies, strict=True)
        )
        return (
            f"EA {s.axial_stiffness:.3g} c {s.axial_damping:.3g} EI {s.bending_stiffness:.3g} rho "
            f"{s.linear_density:.3g} l {self.element_length:.3f} L {self.length:.2f} tick {self.tick:.2g} "
            f"step {self.step_max:.2g} g {self.gravity:.3g}, {ends} [{names}]"
            + "".join(
                f" {change.tick * self.tick:.2f} s: {change.what} {change.which}" for change in self.changes
            )
        )


def _direction(random: np.random.Generator) -> Vector:
    v = random.normal(size=3)
    return np.asarray(v / np.linalg.norm(v))


def _held(
    scene: Scene, random: np.random.Generator, draw: Callable[[], Any], shortest: float, longest: float
) -> Vector:
    """Values of `draw`, each held for a random time, one row per violent tick."""
    rows: list[Any] = []
    while len(rows) < scene.violent:
        rows += [draw()] * max(1, int(random.uniform(shortest, longest) / scene.tick))
    return np.array(rows[: scene.violent], dtype=np.float64)


def _add_obstacles(scene: Scene, random: np.random.Generator, known: tuple[str, ...]) -> None:
    """Ground and some of the known kinds, apart from each other; one of them may move."""
    ground = random.random() < 0.8
    share = 0.65 if len(known) <= 3 else 0.35
    kinds = [kind for kind in known if random.random() < share] or ["pole"]
    moving = random.choice(kinds) if random.random() < 0.5 else ""
    taken: list[tuple[Vector, Vector, float]] = []  # plan: point, direction (0: none), radius
    if ground:
        scene.shapes.append(tl.shapes.Plane(name="ground"))
    for kind in kinds:
        roam = ROAM if kind == moving else 0.0
        for _ in range(200):
            place = random.uniform(-2.0, 2.0, 2)
            angle = random.uniform(0.0, np.pi)
            lying = kind == "pole" and random.random() < 0.5
            along = np.array([np.cos(angle), np.sin(angle)]) if lying else np.zeros(2)
            size = random.uniform(0.3, 1.0, 2)
            reach = roam + (0.5 * float(np.hypot(*size)) if kind == "box" else REACH[kind])
            if all(_plan_distance(place, along, p, d) > reach + r + GAP for p, d, r in taken):
                break
        else:
            continue
        taken.append((place, along, reach))
        low = 0.3 + GAP if roam else 0.3
        home = np.array([*place, random.uniform(low, 2.0)])
        if kind == "box":
            height = random.uniform(0.4, 1.5)
            home[2] = 0.4 * height if ground else random.uniform(0.5, 1.5)
        origin = np.zeros(3) if kind == moving else home
        if kind == "sphere":
            scene.shapes.append(tl.shapes.Sphere(center=origin, radius=0.3, name="sphere"))
        elif kind == "box":
            turn = (np.cos(0.5 * angle), 0.0, 0.0, np.sin(0.5 * angle))
            scene.shapes.append(
                tl.shapes.OrientedBox(center=origin, size=(*size, height), rotation=turn, name="box")
            )
        elif kind != "pole":
            scene.shapes.append(MAKERS[kind](random, origin))
        else:
            axis = np.array([*along, 0.0]) if lying else np.array([0.0, 0.0, 1.0])
            reach_3d = POLE_REACH * axis
            scene.shapes.append(
                tl.shapes.Cylinder(
                    start=origin - reach_3d, end=origin + reach_3d, radius=POLE_RADIUS, name="pole"
                )
            )
            scene.poles.append(Pole("pole", axis, home))
        if kind == moving:
            scene.mover, scene.mover_home = kind, home
            scene.mover_spin = random.uniform(-1.5, 1.5) if kind == "box" else 0.0
    if scene.mover:
        _move_obstacle(scene, random)


def _plan_distance(a: Vector, along_a: Vector, b: Vector, along_b: Vector) -> float:
    """Horizontal distance of two obstacles, of which at most one lies along a line."""
    along = along_a + along_b
    gap = b - a
    return float(abs(gap[0] * along[1] - gap[1] * along[0])) if along.any() else float(np.hypot(*gap))


def _move_obstacle(scene: Scene, random: np.random.Generator) -> None:
    """Horizontal velocity steps up to 2 m/s that turn back at the border; still in the quiet phase."""
    wanted = _held(scene, random, lambda: random.uniform(0.0, 2.0) * _direction(random), 0.2, 0.6)
    wanted[:, 2] = 0.0
    wanted *= min(1.0, scene.speed_max / 2.0)
    offset = np.zeros(3)
    ticks = scene.violent + scene.quiet
    scene.mover_offset, scene.mover_velocity = np.zeros((ticks, 3)), np.zeros((ticks, 3))
    for tick in range(ticks):
        velocity = wanted[tick].copy() if tick < scene.violent else np.zeros(3)
        if np.linalg.norm(offset + scene.tick * velocity) > ROAM:
            velocity = -offset / ROAM * np.linalg.norm(velocity)
        scene.mover_offset[tick], scene.mover_velocity[tick] = offset, velocity
        offset = offset + scene.tick * velocity


def _find_start(scene: Scene, random: np.random.Generator) -> bool:
    """Ends and shape at the start, in free space; False if there is no room for them."""
    world = scene.world()
    for _ in range(60):
        base = random.uniform(*REGION)
        reach = random.uniform(0.1, 0.95) * min(scene.length, 6.0)
        end = base + reach * _direction(random)
        if np.any(end < REGION[0]) or np.any(end > REGION[1]):
            continue
        if min(world.distance(base), world.distance(end)) < CLEAR:
            continue
        drawn = _drawn_aside(scene, base, end, _direction(random))
        starts: list[tuple[Vector | None, Vector]] = []
        if np.isclose(np.linalg.norm(np.diff(drawn, axis=0), axis=1).sum(), scene.length):
            starts.append((drawn, drawn))  # else its two legs cannot meet
        if scene.gravity > 0.0:
            starts.insert(0, (None, tl.Catenary.between(base, end, scene.length).sample(200)))
        for shape, line in starts:
            if np.min(world.distance(_dense(line))) > 0.02:
                scene.base, scene.end, scene.shape = base, end, shape
                return True
    return False


def _drawn_aside(scene: Scene, base: Vector, end: Vector, direction: Vector) -> Vector:
    """The two legs of a V, from where the tether falls; a node comes to lie in the corner."""
    count = max(2, round(scene.length / scene.element_length))
    first = scene.length * (count // 2) / count
    apart = float(np.linalg.norm(end - base))
    along = (end - base) / apart
    aside = np.cross(along, direction)
    aside /= np.linalg.norm(aside)
    forward = 0.5 * (apart**2 + first**2 - (scene.length - first) ** 2) / apart
    corner = base + forward * along + np.sqrt(max(first**2 - forward**2, 0.0)) * aside
    return np.array([base, corner, end])


def _dense(line: Vector) -> Vector:
    """Points on a polyline, so close that no pole fits between them."""
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    stations = np.linspace(0.0, way[-1], int(way[-1] / (0.5 * POLE_RADIUS)))
    return np.stack([np.interp(stations, way, line[:, k]) for k in range(3)], axis=1)


def draw_scene(seed: int, wide: bool = False) -> Scene:
    """The scene of a seed."""
    random = np.random.default_rng([seed, 1] if wide else seed)
    while True:
        scene = _draw_wide_tether(seed, random) if wide else _draw_tether(seed, random)
        _add_obstacles(scene, random, WIDE_KINDS if wide else ORDINARY_KINDS)
        if _find_start(scene, random):
            break

    def velocity() -> Vector:
        return np.asarray(random.uniform(0.0, scene.speed_max) * _direction(random))

    scene.velocity = [_held(scene, random, velocity, 0.15, 0.5) for _ in range(2)]
    ends = 2 if wide else 1
    scene.push = [_held(scene, random, lambda: random.uniform(-1.0, 1.0, 3), 0.15, 0.5) for _ in range(ends)]
    spin_max = min(200.0, 0.3 / scene.tick**2)
    scene.twist = [
        _held(scene, random, lambda: random.uniform(-spin_max, spin_max, 3), 0.15, 0.5)
        if wide or scene.kinds[1] == "rigid"
        else np.zeros((scene.violent, 3))
        for _ in range(ends)
    ]
    if not wide:  # its base is held by a hand
        scene.push.insert(0, np.zeros((scene.violent, 3)))
        scene.twist.insert(0, np.zeros((scene.violent, 3)))
    reel_max = min(3.0, 0.5 * scene.element_length / scene.tick) if wide else 3.0
    scene.reel_speed = _held(
        scene, random, lambda: random.choice([0.0, random.uniform(-reel_max, reel_max)]), 0.2, 0.8
    )
    if wide:
        _draw_changes(scene, random)
    return scene


def _draw_tether(seed: int, random: np.random.Generator) -> Scene:
    stiffness = 10.0 ** random.uniform(3.0, 5.0)
    spec = tl.TetherSpec(
        linear_density=float(random.choice([0.067, 0.167])),
        diameter=0.008,
        axial_stiffness=stiffness,
        axial_damping=stiffness * float(random.choice([0.0, 1e-4, 1e-2])),
    )
    kind = END_KINDS[random.integers(3)]
    body = _draw_body(kind, random.uniform(0.2, 4.0), random)
    speed = 20.0 if random.random() < 0.67 else random.uniform(0.0, 20.0)
    wind = _draw_wind(seed, speed, random)
    return Scene(
        seed=seed,
        spec=spec,
        element_length=random.uniform(0.05, 0.2),
        length=random.uniform(2.0, 12.0),
        kinds=("prescribed", kind),
        bodies=(None, body),
        wind=wind,
    )


def _draw_wide_tether(seed: int, random: np.random.Generator) -> Scene:
    stiffness = 10.0 ** random.uniform(2.0, 7.0)
    bending = 10.0 ** random.uniform(-5.0, np.log10(0.3)) if random.random() < 0.6 else 0.0
    spec = tl.TetherSpec(
        linear_density=10.0 ** random.uniform(-2.5, -0.5),
        diameter=random.uniform(0.003, 0.012),
        axial_stiffness=stiffness,
        axial_damping=stiffness * float(random.choice([0.0, 0.0, 1e-4, 1e-2])),
        bending_stiffness=bending,
        bending_damping=bending * float(random.choice([0.0, 0.0, 1e-3])),
        friction=random.uniform(0.0, 0.8),
    )
    kinds = (
        str(random.choice(END_KINDS, p=[0.6, 0.2, 0.2])),
        str(random.choice(END_KINDS, p=[0.3, 0.35, 0.35])),
    )
    bodies = tuple(_draw_body(kind, 10.0 ** random.uniform(-3.0, 2.0), random) for kind in kinds)
    element_length = 10.0 ** random.uniform(np.log10(0.02), 0.0)
    return Scene(
        seed=seed,
        spec=spec,
        element_length=element_length,
        length=random.uniform(max(1.0, 2.0 * element_length), 12.0),
        kinds=kinds,
        bodies=(bodies[0], bodies[1]),
        wind=_draw_wind(seed, random.choice([0.0, random.uniform(0.0, 40.0)]), random),
        gravity=float(random.choice([9.80665, 9.80665, 3.71, 0.0])),
        wide=True,
        tick=10.0 ** random.uniform(-4.0, -1.0),
        step_max=10.0 ** random.uniform(-4.0, -1.0),
    )


def _draw_body(kind: str, mass: float, random: np.random.Generator) -> Any:
    """A point mass or rigid body of that mass [kg], or None for a hand."""
    if kind == "point":
        return tl.PointMass(mass, radius=float(random.choice([0.0, 0.05])))
    if kind == "rigid":
        return tl.RigidBody(
            mass=mass,
            inertia=np.full(3, 0.4 * mass * BODY_RADIUS**2),
            attachment=0.05 * _direction(random),
            radius=BODY_RADIUS,
        )
    return None


def _draw_wind(seed: int, speed: float, random: np.random.Generator) -> tl.Wind:
    angle = random.uniform(0.0, 2.0 * np.pi)
    wind = tl.Wind.uniform((speed * np.cos(angle), speed * np.sin(angle), 0.0))
    return wind.with_gusts(3.0, 10.0, seed) if random.random() < 0.5 and speed > 0.0 else wind


def _draw_changes(scene: Scene, random: np.random.Generator) -> None:
    """Every third scene: an end is released and, later or not at all, taken hold of again."""
    if random.random() > 0.33:
        return
    which = str(random.choice(["base", "end"]))
    first, second = sorted(random.integers(0, scene.violent, 2).tolist())
    scene.changes.append(Change(first, which, "release"))
    if random.random() < 0.7 and second > first:
        kind = str(random.choice(END_KINDS))
        body = _draw_body(kind, 10.0 ** random.uniform(-3.0, 2.0), random)
        scene.changes.append(Change(second, which, "hold" if body is None else kind, body))


def _pierced_box(random: np.random.Generator, origin: Vector) -> tl.shapes.Shape:
    """A box with a round hole through it."""
    size = random.uniform(0.5, 0.8, 3)
    axis = np.eye(3)[random.integers(3)]
    hole = tl.shapes.Cylinder(start=origin - axis, end=origin + axis, radius=random.uniform(0.1, 0.2))
    box = tl.shapes.OrientedBox(center=origin, size=size, rotation=(1.0, 0.0, 0.0, 0.0))
    return tl.shapes.Difference(shape=box, minus=hole, name="pierced")


def _voxels(random: np.random.Generator, origin: Vector) -> tl.shapes.Shape:
    """Some blocks of 0.15 m side by side, as a scan would give them."""
    spacing, count = 0.05, 17
    lattice = np.stack(np.meshgrid(*[spacing * (np.arange(count) - count // 2)] * 3, indexing="ij"), axis=-1)
    distance = np.full(lattice.shape[:3], np.inf)
    for centre in 0.15 * random.integers(-1, 2, (5, 3)):
        outside = np.abs(lattice - centre) - 0.075
        length = np.linalg.norm(np.maximum(outside, 0.0), axis=-1) + np.minimum(outside.max(axis=-1), 0.0)
        distance = np.minimum(distance, length)
    corner = origin + lattice[0, 0, 0]
    return tl.shapes.VoxelGrid(
        values=distance.astype(np.float32), origin=corner, spacing=spacing, name="voxels"
    )


def _mesh(random: np.random.Generator, origin: Vector) -> tl.shapes.Shape:
    """A rock: the mesh of a dented sphere, by way of a file."""
    import trimesh

    rock = trimesh.creation.icosphere(subdivisions=2, radius=0.3)
    rock.vertices = rock.vertices * random.uniform(0.75, 1.1, (len(rock.vertices), 1)) + origin
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rock.stl"
        rock.export(path)
        return load_map(path, resolution=0.03, name="mesh")


ORDINARY_KINDS = ("pole", "sphere", "box")
WIDE_KINDS = (*ORDINARY_KINDS, "pierced", "voxels", "mesh")
REACH = {"pole": POLE_RADIUS, "sphere": 0.3, "pierced": 0.6, "voxels": 0.4, "mesh": 0.35}
MAKERS = {"pierced": _pierced_box, "voxels": _voxels, "mesh": _mesh}
