"""Friction and contact: the capstan, slopes, and fast obstacles."""

import math
from collections.abc import Callable

import numpy as np

import tetherlab as tl
from validation.figure import COLOURS, GREY, MARKERS, drawing
from validation.table import Picture, Row, Study, at_most, holds

FRICTIONS = (0.1, 0.3, 0.5)
PULL = 20.0  # force on the body at the end [N]
SPEED = 0.05  # of the base [m/s]
CALL = 0.01  # [s]
RADIUS = 0.004  # of the tether [m]
LEG = 1.5  # straight tether on either side [m]
GRAVITY = 9.80665  # [m/s^2]
WAYS = ("pulled", "let back")

Say = Callable[[str], None]


def run(say: Say) -> Study:
    """Capstan on four obstacles, slopes, and obstacles at 10 m/s."""
    study = Study(
        title="Contact and friction",
        model=(
            "Tether of 8 mm, elements of 0.10 m. *Capstan*: no gravity, EA = 10 kN, c = 20 N s; a body at"
            " the end is pulled with 20 N, the base is drawn away at 0.05 m/s and then let back, so the "
            "tether slips in both directions. The full turn round the pole is flown by the end at 1.5 "
            "m/s. Error: mean of the tension ratio while the tether slips at both ends alike; the spread "
            "is its standard deviation. *Slope*: tether lying down the slope, both ends free, μ = 0.3 (it"
            " slips above 16.7°). *Impact*: tether under 20 N."
        ),
        truth=(
            "*Capstan*: exp(μθ), θ the angle between the legs. *Slope*: rest, or g (sin α − μ cos α). "
            "*Impact*: the obstacle stays on its side of the tether."
        ),
    )
    measured = {}
    for name, obstacle, turn, limit in (
        ("R = 0.6 m, half turn", drum(0.6), math.pi, 1.0),
        ("R = 0.6 m, full turn", drum(0.6), 2.0 * math.pi, 1.0),
        ("2 cm pole, half turn", drum(0.01), math.pi, 5.0),
        ("2 cm pole, full turn", drum(0.01), 2.0 * math.pi, 5.0),
        ("90° box edge", EDGE, 0.5 * math.pi, 5.0),
    ):
        for friction in FRICTIONS:
            say(f"capstan, {name}, μ = {friction:g}")
            try:
                found = capstan(obstacle, turn, friction)
            except tl.SimulationError as error:
                found = [(way, math.nan, math.nan) for way in WAYS]
                say(str(error))
            for way, error, spread in found:
                measured[name, friction, way] = error, spread
                note = (
                    f"spread {spread:.2f} %"
                    if spread == spread
                    else "did not slip, or a step did not converge"
                )
                study.rows.append(at_most(f"{name}, μ = {friction:g}, {way}", "% off", limit, error, note))
    study.rows += slopes(say) + impacts(say)
    _draw(measured)
    study.pictures.append(Picture("validation_capstan.svg", "Error of the tension ratio against exp(μθ)"))
    return study


def drum(radius: float) -> tl.shapes.Shape:
    """A cylinder along y through the origin."""
    return tl.shapes.Cylinder(start=(0.0, -1.0, 0.0), end=(0.0, 1.0, 0.0), radius=radius)


EDGE = tl.shapes.Box(lower=(-2.0, -1.0, -2.0), upper=(0.0, 1.0, 0.0))


def capstan(obstacle: tl.shapes.Shape, turn: float, friction: float) -> list[tuple[str, float, float]]:
    """(way of slipping, error of the tension ratio [%], its spread [%]) for both ways."""
    spec = tl.TetherSpec(
        linear_density=0.0667,
        diameter=2.0 * RADIUS,
        axial_damping=20.0,
        friction=friction,
        drag_coefficient=0.0,
        drag_coefficient_tangential=0.0,
    )
    radius = RADIUS + getattr(obstacle, "radius", 0.0)
    world = tl.World([obstacle], gravity=0.0)
    by_flight = (
        turn > 4.0 and radius < 0.1
    )  # a full turn that fits into one element cannot be given as a shape
    shape = _wrapped(radius, 0.0 if by_flight else turn)
    way = float(np.linalg.norm(np.diff(shape, axis=0), axis=1).sum())
    body = None if by_flight else tl.PointMass(0.5)
    tether = tl.Tether(
        spec,
        base=shape[0],
        end=shape[-1],
        length=way / (1.0 + PULL / spec.axial_stiffness),
        shape=shape,
        world=world,
        end_body=body,
    )
    if by_flight:
        _fly_round(tether, radius, turn)
        tether.attach("end", tl.PointMass(0.5))
    leg_end = np.array([-math.sin(turn), 0.0, math.cos(turn)])
    # A tether that holds 20 N at one end and exp(mu theta) times as much at the other stretches this much.
    stretch = PULL * math.exp(friction * turn) / spec.axial_stiffness * tether.length
    away = stretch + 0.25
    results = []
    for name, sign, distance in (("pulled", 1.0, away), ("let back", -1.0, away)):
        ratio, moving = _draw_base(tether, np.array([0.0, 0.0, -sign]), distance, leg_end)
        half = len(ratio) // 2
        ratio = ratio[half:]
        if abs(moving[half:].mean()) < 0.9 * SPEED:  # the end does not follow the base: it never slipped
            results.append((name, math.nan, math.nan))
            continue
        truth = math.exp(sign * friction * turn)
        results.append((name, 100.0 * (ratio.mean() / truth - 1.0), 100.0 * ratio.std() / ratio.mean()))
    return results


def _wrapped(radius: float, turn: float) -> np.ndarray:
    """Leg up to the obstacle, arc round its axis, leg away from it."""
    angle = np.linspace(0.0, turn, max(2, math.ceil(turn * radius / 0.002)))
    arc = radius * np.stack([np.cos(angle), 0.0 * angle, np.sin(angle)], axis=1)
    out = LEG * np.array([-math.sin(turn), 0.0, math.cos(turn)])
    return np.concatenate([[arc[0] - [0.0, 0.0, LEG]], arc, [arc[-1] + out]])


def _fly_round(tether: tl.Tether, radius: float, turn: float) -> None:
    """Lead the end round the axis at 1.5 m/s on the path that keeps the tether just taut."""
    leg, calls = LEG, math.ceil(turn * LEG / 1.5 / CALL)
    for k in range(1, calls + 1):
        angle = turn * k / calls
        # eased in and out, so that the tether is not jerked
        angle = turn * (3.0 * (k / calls) ** 2 - 2.0 * (k / calls) ** 3)
        free = leg - radius * angle
        out = np.array([-math.sin(angle), 0.0, math.cos(angle)])
        tether.step(CALL, end=radius * np.array([math.cos(angle), 0.0, math.sin(angle)]) + free * out)


def _draw_base(
    tether: tl.Tether, direction: np.ndarray, distance: float, leg_end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Move the base; ratio of the tensions of base and end, and the speed of the end along its leg."""
    ratio, speed = [], []
    base, gone = tether.nodes[0], 0.0
    while gone < distance:
        pace = SPEED * min(1.0, (len(ratio) + 1) * CALL / 0.2)
        gone += pace * CALL
        forces = tether.step(
            CALL, base=base + gone * direction, base_velocity=pace * direction, end_force=PULL * leg_end
        )
        ratio.append(np.linalg.norm(forces.on_base) / np.linalg.norm(forces.on_end))
        speed.append(tether.velocities[-1] @ leg_end)
    return np.array(ratio), np.array(speed)


def slopes(say: Say) -> list[Row]:
    """A tether on a slope holds below the angle of friction, and slides as it should above."""
    rows = []
    for degrees in (10.0, 15.0, 16.5, 18.0):
        say(f"slope of {degrees:g}°")
        travel = _slide(math.radians(degrees))
        if degrees < 16.7:
            creep = np.abs(travel[80:] - travel[80]).max()
            rows.append(at_most(f"slope of {degrees:g}°, μ = 0.3: creep in 8 s", "m", 1e-6, creep))
        else:
            angle = math.radians(degrees)
            truth = GRAVITY * (math.sin(angle) - 0.3 * math.cos(angle))
            time = CALL * np.arange(len(travel))
            found = 2.0 * np.polyfit(time, travel, 2)[0]
            off = 100.0 * (found / truth - 1.0)
            note = f"truth {truth:.4f} m/s²"
            rows.append(at_most(f"slope of {degrees:g}°, μ = 0.3: acceleration", "% off", 1.0, off, note))
    return rows


def _slide(angle: float) -> np.ndarray:
    """Travel of the middle of a 2 m tether down the slope, every 10 ms for 8.8 s [m]."""
    down = np.array([math.cos(angle), 0.0, -math.sin(angle)])
    normal = np.array([math.sin(angle), 0.0, math.cos(angle)])
    spec = tl.TetherSpec(
        linear_density=0.0667,
        diameter=2.0 * RADIUS,
        friction=0.3,
        drag_coefficient=0.0,
        drag_coefficient_tangential=0.0,
    )
    world = tl.World([tl.shapes.Plane(normal=normal)])
    start = RADIUS * normal
    tether = tl.Tether(spec, base=start, end=start + 2.0 * down, length=2.0, world=world)
    tether.release("base")
    tether.release("end")
    middle = tether.nodes[10]
    travel = [0.0]
    for _ in range(880):
        tether.step(CALL)
        travel.append(float((tether.nodes[10] - middle) @ down))
    return np.array(travel)


def impacts(say: Say) -> list[Row]:
    """Obstacles that fly into a taut tether at 10 m/s, and a tether drawn over them at 10 m/s."""
    rows = []
    box = tl.shapes.Box(lower=(-0.5, -1.0, -1.0), upper=(0.5, 1.0, 0.0), name="obstacle")
    pole = tl.shapes.Cylinder(start=(0.0, -1.0, -0.01), end=(0.0, 1.0, -0.01), radius=0.01, name="obstacle")
    for name, obstacle in (("box", box), ("2 cm pole", pole)):
        say(f"{name} at 10 m/s")
        for what, experiment in (("flies into the tether", _hit), ("tether drawn over it", _drawn)):
            try:
                held, depth = experiment(obstacle)
            except tl.SimulationError as error:
                held, depth = False, math.nan
                say(str(error))
            note = "" if depth == depth else "a step did not converge"
            rows.append(
                holds(f"{name} at 10 m/s, {what}: does not pass through", held, "yes" if held else "no", note)
            )
            rows.append(
                at_most(
                    f"{name} at 10 m/s, {what}: deepest penetration",
                    "mm",
                    4.0,
                    1e3 * depth,
                    "tether radius 4 mm",
                )
            )
    return rows


def _impact_tether(world: tl.World, shape: np.ndarray) -> tl.Tether:
    way = float(np.linalg.norm(np.diff(shape, axis=0), axis=1).sum())
    spec = tl.TetherSpec(linear_density=0.0667, diameter=2.0 * RADIUS)
    return tl.Tether(
        spec,
        base=shape[0],
        end=shape[-1],
        length=way / 1.002,
        shape=shape,
        world=world,
        end_body=tl.PointMass(0.5),
    )


def _depth(tether: tl.Tether) -> float:
    """How far the tether's centre line, taken at nodes and contacts, comes nearer than its radius [m]."""
    points = np.array([*tether.nodes[1:-1], *(contact.point for contact in tether.contacts)])
    return max(0.0, RADIUS - float(np.min(tether.world.distance(points))))


def _hit(obstacle: tl.shapes.Shape) -> tuple[bool, float]:
    """The obstacle rises 0.6 m through a level tether at 10 m/s and stops."""
    world = tl.World([obstacle], gravity=0.0)
    height, deepest = -0.05, 0.0
    world.place("obstacle", position=(0.03, 0.0, height))
    tether = _impact_tether(world, np.array([[-1.5, 0.0, 0.0], [1.5, 0.0, 0.0]]))
    for k in range(300):
        moving = k < 65
        world.place("obstacle", position=(0.03, 0.0, height), velocity=(0.0, 0.0, 10.0 if moving else 0.0))
        tether.step(0.001, end_force=(PULL, 0.0, 0.0))
        height += 0.01 * moving
        world.place("obstacle", position=(0.03, 0.0, height))
        deepest = max(deepest, _depth(tether))
    return bool(tether.nodes[:, 2].max() > height - 0.02), deepest


def _drawn(obstacle: tl.shapes.Shape) -> tuple[bool, float]:
    """The base dives at 10 m/s on the far side, so that the tether runs over the obstacle."""
    world = tl.World([obstacle], gravity=0.0)
    tether = _impact_tether(world, np.array([[-1.5, 0.0, 0.05], [3.5, 0.0, 0.05]]))
    base, deepest = tether.nodes[0], 0.0
    for _ in range(150):
        base = base - np.array([0.0, 0.0, 0.01])
        tether.step(0.001, base=base, end_force=(PULL, 0.0, 0.0))
        deepest = max(deepest, _depth(tether))
    nodes = tether.nodes
    # The tether goes over the obstacle: it crosses its axis plane above it.
    crossing = (
        np.interp(0.0, nodes[:, 0], nodes[:, 2]) if np.all(np.diff(nodes[:, 0]) > 0) else nodes[:, 2].max()
    )
    return bool(crossing > -0.02), deepest


def _draw(measured: dict[tuple[str, float, str], tuple[float, float]]) -> None:
    names = list(dict.fromkeys(name for name, _, _ in measured))
    with drawing("validation_capstan.svg", height=3.6) as axis:
        for i, friction in enumerate(FRICTIONS):
            for way, fill in (("pulled", COLOURS[i]), ("let back", "white")):
                place = np.arange(len(names)) + 0.22 * (i - 1) + (0.06 if way == "let back" else -0.06)
                errors = [measured[name, friction, way] for name in names]
                axis.errorbar(
                    place,
                    [error for error, _ in errors],
                    yerr=[spread for _, spread in errors],
                    fmt=MARKERS[i],
                    color=COLOURS[i],
                    markerfacecolor=fill,
                    capsize=2,
                    elinewidth=0.8,
                    label=f"μ = {friction:g}, {way}",
                )
        axis.axhline(0.0, color=GREY, linewidth=1)
        axis.set_xticks(range(len(names)), [name.replace(", ", "\n") for name in names])
        axis.set_ylabel("tension ratio, % off exp(μθ)")
        axis.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.22))
