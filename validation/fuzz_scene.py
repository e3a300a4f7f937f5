"""A random scene for the random-run study: material, obstacles, and what is done to the ends.

Everything random is drawn here, before the run, so that the same seed at another internal step meets the
same scene. Times are in ticks of `TICK` seconds: first the violent ones, then the quiet ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tetherlab as tl

TICK = 0.005  # [s]
VIOLENT, QUIET = 600, 400  # ticks
SPEED_MAX = 10.0  # of the ends [m/s]
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
class Scene:
    """All that a run needs, for a fresh tether each time."""

    seed: int
    spec: tl.TetherSpec
    element_length: float
    length: float
    end_kind: str
    body: Any
    wind: tl.Wind
    shapes: list[tl.shapes.Shape] = field(default_factory=list)
    poles: list[Pole] = field(default_factory=list)
    mover: str = ""  # name of the obstacle that moves
    mover_home: Vector = field(default_factory=lambda: np.zeros(3))
    mover_offset: Vector = field(default_factory=lambda: np.zeros((VIOLENT + QUIET, 3)))
    mover_velocity: Vector = field(default_factory=lambda: np.zeros((VIOLENT + QUIET, 3)))
    mover_spin: float = 0.0  # about the vertical, in the violent phase [rad/s]
    base: Vector = field(default_factory=lambda: np.zeros(3))
    end: Vector = field(default_factory=lambda: np.zeros(3))
    shape: Vector | None = None
    base_velocity: Vector = field(default_factory=lambda: np.zeros((VIOLENT, 3)))
    end_velocity: Vector = field(default_factory=lambda: np.zeros((VIOLENT, 3)))
    force: Vector = field(default_factory=lambda: np.zeros((VIOLENT, 3)))
    torque: Vector = field(default_factory=lambda: np.zeros((VIOLENT, 3)))
    reel_speed: Vector = field(default_factory=lambda: np.zeros(VIOLENT))

    def world(self) -> tl.World:
        """A fresh world with the obstacles where they are at the start."""
        world = tl.World(self.shapes, wind=self.wind)
        self.place_mover(world, 0)
        return world

    def place_mover(self, world: tl.World, tick: int) -> None:
        """Put the moving obstacle where it is at a tick."""
        if not self.mover:
            return
        turned = 0.5 * self.mover_spin * TICK * min(tick, VIOLENT)
        spin = self.mover_spin if tick < VIOLENT else 0.0
        world.place(
            self.mover,
            position=self.mover_home + self.mover_offset[tick],
            velocity=self.mover_velocity[tick],
            rotation_wxyz=(np.cos(turned), 0.0, 0.0, np.sin(turned)),
            angular_velocity=(0.0, 0.0, spin),
        )

    def tether(self, world: tl.World, step_max: float) -> tl.Tether:
        """A fresh tether."""
        return tl.Tether(
            self.spec,
            base=self.base,
            end=self.end,
            length=self.length,
            element_length=self.element_length,
            shape=self.shape,
            world=world,
            end_body=self.body,
            step_max=step_max,
        )

    def describe(self) -> str:
        """One line for a log."""
        s = self.spec
        names = ",".join(shape.name + ("*" if shape.name == self.mover else "") for shape in self.shapes)
        mass = f" {self.body.mass:.2g} kg" if self.body is not None else ""
        return (
            f"EA {s.axial_stiffness:.3g} c {s.axial_damping:.3g} rho {s.linear_density:g} "
            f"l {self.element_length:.3f} L {self.length:.2f} end {self.end_kind}{mass} [{names}]"
        )


def _direction(random: np.random.Generator) -> Vector:
    v = random.normal(size=3)
    return np.asarray(v / np.linalg.norm(v))


def _held(random: np.random.Generator, draw: Callable[[], Any], shortest: float, longest: float) -> Vector:
    """Values of `draw`, each held for a random time, one row per violent tick."""
    rows: list[Any] = []
    while len(rows) < VIOLENT:
        rows += [draw()] * int(random.uniform(shortest, longest) / TICK)
    return np.array(rows[:VIOLENT], dtype=np.float64)


def _add_obstacles(scene: Scene, random: np.random.Generator) -> None:
    """Ground, sphere, pole and box, or some of them, apart from each other; one of them may move."""
    ground = random.random() < 0.8
    kinds = [kind for kind in ("pole", "sphere", "box") if random.random() < 0.65] or ["pole"]
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
            reach = {"pole": POLE_RADIUS, "sphere": 0.3, "box": 0.5 * float(np.hypot(*size))}[kind] + roam
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
    wanted = _held(random, lambda: random.uniform(0.0, 2.0) * _direction(random), 0.2, 0.6)
    wanted[:, 2] = 0.0
    offset = np.zeros(3)
    for tick in range(VIOLENT + QUIET):
        velocity = wanted[tick].copy() if tick < VIOLENT else np.zeros(3)
        if np.linalg.norm(offset + TICK * velocity) > ROAM:
            velocity = -offset / ROAM * np.linalg.norm(velocity)
        scene.mover_offset[tick], scene.mover_velocity[tick] = offset, velocity
        offset = offset + TICK * velocity


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
        hanging = tl.Catenary.between(base, end, scene.length).sample(200)
        drawn = _drawn_aside(scene, base, end, _direction(random))
        for shape, line in ((None, hanging), (drawn, drawn)):
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


def draw_scene(seed: int) -> Scene:
    """The scene of a seed."""
    random = np.random.default_rng(seed)
    while True:
        scene = _draw_tether(seed, random)
        _add_obstacles(scene, random)
        if _find_start(scene, random):
            break

    def velocity() -> Vector:
        return np.asarray(random.uniform(0.0, SPEED_MAX) * _direction(random))

    scene.base_velocity = _held(random, velocity, 0.15, 0.5)
    scene.end_velocity = _held(random, velocity, 0.15, 0.5)
    scene.force = _held(random, lambda: random.uniform(-40.0, 40.0, 3), 0.15, 0.5)
    if scene.end_kind == "rigid":
        inertia = scene.body.inertia[0, 0]
        scene.torque = _held(random, lambda: inertia * random.uniform(-200.0, 200.0, 3), 0.15, 0.5)
    scene.reel_speed = _held(random, lambda: random.choice([0.0, random.uniform(-3.0, 3.0)]), 0.2, 0.8)
    return scene


def _draw_tether(seed: int, random: np.random.Generator) -> Scene:
    stiffness = 10.0 ** random.uniform(3.0, 5.0)
    spec = tl.TetherSpec(
        linear_density=float(random.choice([0.067, 0.167])),
        diameter=0.008,
        axial_stiffness=stiffness,
        axial_damping=stiffness * float(random.choice([0.0, 1e-4, 1e-2])),
    )
    end_kind = END_KINDS[random.integers(3)]
    mass = random.uniform(0.2, 4.0)
    body: Any = None
    if end_kind == "point":
        body = tl.PointMass(mass, radius=float(random.choice([0.0, 0.05])))
    elif end_kind == "rigid":
        body = tl.RigidBody(
            mass=mass,
            inertia=np.full(3, 0.4 * mass * BODY_RADIUS**2),
            attachment=0.05 * _direction(random),
            radius=BODY_RADIUS,
        )
    speed = 20.0 if random.random() < 0.67 else random.uniform(0.0, 20.0)
    angle = random.uniform(0.0, 2.0 * np.pi)
    wind = tl.Wind.uniform((speed * np.cos(angle), speed * np.sin(angle), 0.0))
    if random.random() < 0.5:
        wind = wind.with_gusts(3.0, 10.0, seed)
    return Scene(
        seed=seed,
        spec=spec,
        element_length=random.uniform(0.05, 0.2),
        length=random.uniform(2.0, 12.0),
        end_kind=end_kind,
        body=body,
        wind=wind,
    )
