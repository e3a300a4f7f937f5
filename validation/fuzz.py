"""The random-run study: is there a scene that breaks the tether?

Each seed is 3 s of violence (ends up to 10 m/s with steps in velocity, pushes, reeling up to 3 m/s, wind,
obstacles still and moving) and 2 s of quiet in which nothing does work, so energy may only fall. Run

    python -m validation.fuzz --seeds 0:1000 --jobs 2 --json fuzz.jsonl
    python -m validation.fuzz --wide --seeds 17:18 --verbose

Ctrl-C stops early and keeps what is done.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tetherlab as tl
from tetherlab.tether import model as M
from validation.fuzz_scene import (
    ITERATED_MAX,
    LENGTH_RANGE,
    REGION,
    Change,
    Scene,
    draw_scene,
)
from validation.winding import PoleWatch

STEP_REFERENCE = 0.0005  # longest internal step of a reference [s]
GAIN_MAX = 0.05  # energy that may appear in the quiet phase [J]
DIAMETERS_MAX = 1.0  # depth of a node inside an obstacle
LEDGER_NOTHING = 0.1  # energy exchanged before the books are looked at [J]
LEDGER_MAX = 0.01  # of the energy exchanged that may be missing from the books
STRAIN_RATIO_MAX = 1.2
SHADOW = 20  # ticks after which the shadow starts again from the run's own state
LOOK = 2  # ticks between two looks at obstacles
WATCHED = 0.006  # in longer ticks an end may go round a pole unseen [s]
SETTLE = 2  # ticks that prescribed ends take to come to rest
OFFSET_RESTS = 1e-4  # of the elements at the winch, which goes on working on them for a moment [m]
KEEP_AWAY = 0.2  # at which prescribed ends turn away from obstacles [m]
HOLD_MAX = 300.0  # pull at which a hand gives way, at most 10 % strain [N]
DECIDES_EVERY = 0.005  # a hand changes its velocity not more often than this [s]
GIVE_WAY = 5.0  # and with which speed [m/s]
Vector = NDArray[np.float64]
Result = dict[str, Any]


def strain_peak(tether: tl.Tether) -> float:
    """Largest strain of any element at any time within the last tick."""
    return float(tether._state.total[M.STRETCH_PEAK]) - 1.0


def between_nodes(tether: tl.Tether) -> Vector:
    """Points on the tether between its nodes [m], (n, 3)."""
    nodes = tether.nodes
    wrap = tether._state.wrap[: len(nodes) - 1]
    bent = wrap["active"] == 1
    a, b = nodes[:-1], nodes[1:]
    points = [a[~bent] + s * (b - a)[~bent] for s in (1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6)]
    for s in (0.3, 0.6, 0.9):
        points.append((a + s * (wrap["leg_a"])[:, None] * wrap["pull_a"])[bent])
        points.append((b + s * (wrap["leg_b"])[:, None] * wrap["pull_b"])[bent])
    points.append(wrap["point_W"][bent])
    return np.concatenate(points)


class Hand:
    """Moves a prescribed end at random, but not into obstacles, out of the region or against any force."""

    def __init__(self, scene: Scene, position: Vector) -> None:
        self.position = position.copy()
        self.force_max = min(HOLD_MAX, 0.1 * scene.spec.axial_stiffness)
        self.tick, self.speed_max = scene.tick, scene.speed_max
        self.velocity, self.decided = np.zeros(3), DECIDES_EVERY  # [m/s], and how long ago [s]
        self.pull = np.zeros(3)  # of the tether, in the last tick [N]

    @property
    def yields(self) -> bool:
        """The tether pulls too hard."""
        return bool(np.linalg.norm(self.pull) > self.force_max)

    def move(self, wanted: Vector, world: tl.World, tether_mate: Vector | None, length: float) -> Vector:
        """The next position; tether_mate: the other hand, not to be left farther than the length."""
        self.decided += self.tick
        if self.decided > DECIDES_EVERY * (1.0 - 1e-9):
            self.velocity, self.decided = self._decide(wanted, world, tether_mate, length), 0.0
        self.position = self.position + self.tick * self.velocity
        return self.position

    def _decide(self, wanted: Vector, world: tl.World, tether_mate: Vector | None, length: float) -> Vector:
        """The velocity from now on."""
        v = wanted.copy()
        p = self.position
        if self.yields:
            v = min(GIVE_WAY, self.speed_max) * self.pull / np.linalg.norm(self.pull)
        elif tether_mate is not None:
            apart = p - tether_mate
            distance = float(np.linalg.norm(apart))
            if distance > length - 0.05:
                v -= (max(float(v @ apart) / distance, -1.0) + 1.0) * apart / distance
        v = np.where(p < REGION[0], np.abs(v), np.where(p > REGION[1], -np.abs(v), v))
        clear = world.distance(p)
        if clear < KEEP_AWAY:
            n = world.gradient(p)
            least = 2.5 if clear < 0.75 * KEEP_AWAY else 0.0
            v = v + max(least - float(v @ n), 0.0) * n
        speed = float(np.linalg.norm(v))
        if speed > self.speed_max:
            v = v * (self.speed_max / speed)
        return v


def shadow_of(tether: tl.Tether) -> tl.Tether:
    """The same tether, to be advanced in fine steps."""
    twin = tether.copy()
    twin._memory.constants[M.TetherModel._fields.index("step_max")] = STEP_REFERENCE
    return twin


def run(scene: Scene, step_max: float | None = None, with_shadow: bool = False) -> Result:
    """One run with its measures; "error" tells why it stopped early, if it did.

    with_shadow: a twin in fine steps goes along, and starts again from the run's state every 0.1 s.
    """
    world = scene.world()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tether = scene.tether(world, step_max)
    wind = tether._wind
    hands = [
        Hand(scene, place) if kind == "prescribed" else None
        for kind, place in zip(scene.kinds, (scene.base, scene.end), strict=True)
    ]
    bodies = list(scene.bodies)
    watches = [(pole, PoleWatch(pole.axis, world.index(pole.name))) for pole in scene.poles]
    out: Result = {
        "error": "",
        "strain": 0.0,
        "strain_time": 0.0,
        "strain_shadow": 0.0,
        "depth": 0.0,
        "depth_time": 0.0,
        "depth_between": 0.0,
        "depth_body": 0.0,
        "gain": 0.0,
        "gain_time": 0.0,
        "ledger": 0.0,
        "crossings": 0,
        "crossing_times": [],
        "unclear": 0,
        "end_clear": 1.0,
        "speed": 0.0,
    }
    lowest, quiet = np.inf, False
    cpu = 0.0
    tick = 0
    shadow = None
    ledger = Ledger(tether)
    iterated = 0  # elements times iterations, in this phase
    while tick < scene.violent + scene.quiet:
        if scene.wide and iterated > ITERATED_MAX:
            if tick >= scene.violent:
                break
            scene.calm_down(tick)
        if tick == scene.violent:
            iterated = 0
        scene.place_mover(world, tick)
        for change in scene.changes:
            if change.tick == tick < scene.violent:
                _change(scene, tether, change, hands, bodies)
                ledger.start(tether)
                for _, watch in watches:
                    watch.restart()
        _measure(out, tether, world, scene, watches, hands, bodies, tick)
        quiet = quiet or (tick >= scene.violent + SETTLE and _winch_rests(tether))
        if quiet:
            energy = tether.energy.total
            if energy - lowest > out["gain"]:
                out["gain"], out["gain_time"] = energy - lowest, tick * scene.tick
            lowest = min(lowest, energy)
        orders = _orders(scene, tether, world, hands, bodies, tick)
        if tick == scene.violent:
            wind = tl.Wind.calm().field
        tether._wind = wind
        if with_shadow:
            if tick % SHADOW == 0 or shadow is None:
                shadow = shadow_of(tether)
            shadow._wind = wind
            shadow = _advance_shadow(out, shadow, scene.tick, orders)
        before = time.process_time()
        try:
            forces = tether.step(scene.tick, **orders)
        except Exception as error:
            out["error"] = f"{type(error).__name__}: {error}"
            break
        cpu += time.process_time() - before
        for hand, pull in zip(hands, (forces.on_base, forces.on_end), strict=True):
            if hand is not None:
                hand.pull = pull
        if not (np.isfinite(tether._state.x).all() and np.isfinite(forces.on_base).all()):
            out["error"] = f"NaN at {tick * scene.tick:.3f} s"
            break
        iterated += tether._iterations * len(tether.tensions)
        out["ledger"] = max(out["ledger"], ledger.missing(tether))
        tick += 1
    simulated = max(tick, 1) * scene.tick
    out["crossings"] = sum(watch.crossings for _, watch in watches)
    out["unclear"] = sum(watch.unclear for _, watch in watches)
    out["cpu"] = cpu
    out["real_time_factor"] = simulated / max(cpu, 1e-9)
    return out


class Ledger:
    """Whether total + dissipated - work - work_winch stays what it was, as a share of what was exchanged."""

    def __init__(self, tether: tl.Tether) -> None:
        self.exchanged = LEDGER_NOTHING
        self.start(tether)

    def start(self, tether: tl.Tether) -> None:
        """Begin anew: a body came or went and took its energy along."""
        self.last = tether.energy
        self.balance = self._of(self.last)

    @staticmethod
    def _of(energy: Any) -> float:
        return float(energy.total + energy.dissipated - energy.work - energy.work_winch)

    def missing(self, tether: tl.Tether) -> float:
        """The share that is missing now."""
        energy = tether.energy
        self.exchanged += sum(abs(now - before) for now, before in zip(energy, self.last, strict=True))
        self.last = energy
        return abs(self._of(energy) - self.balance) / self.exchanged


def _change(
    scene: Scene, tether: tl.Tether, change: Change, hands: list[Hand | None], bodies: list[Any]
) -> None:
    """Release an end, or take hold of it if there is room for what shall be there."""
    end = ("base", "end").index(change.which)
    if change.what == "release":
        tether.release(change.which)
        hands[end], bodies[end] = None, None
        return
    try:
        tether.attach(change.which, change.body)
    except tl.InputError:
        return  # no room for the body
    bodies[end] = change.body
    hands[end] = Hand(scene, tether.nodes[-end]) if change.body is None else None


def _winch_rests(tether: tl.Tether) -> bool:
    """Whether the elements at the winch have taken up what was left to do when a node came or went."""
    return bool(np.abs(tether._state.offset[:2]).max() < OFFSET_RESTS)


def _advance_shadow(out: Result, shadow: tl.Tether, tick: float, orders: dict[str, Any]) -> tl.Tether | None:
    """The shadow's largest strain; None where it has to start again."""
    try:
        shadow.step(tick, **orders)
    except tl.SimulationError:
        return None
    out["strain_shadow"] = max(out["strain_shadow"], strain_peak(shadow))
    return shadow


def _orders(
    scene: Scene,
    tether: tl.Tether,
    world: tl.World,
    hands: list[Hand | None],
    bodies: list[Any],
    tick: int,
) -> dict[str, Any]:
    """Arguments of `step` for this tick."""
    orders: dict[str, Any] = {}
    if tick >= scene.violent:
        for name, hand in zip(("base", "end"), hands, strict=True):
            if hand is not None:
                orders |= {name: hand.position, f"{name}_velocity": np.zeros(3)}
        return orders
    length = tether.length
    reel = float(scene.reel_speed[tick])
    places = [None if hand is None else hand.position for hand in hands]
    for end, (name, hand, body) in enumerate(zip(("base", "end"), hands, bodies, strict=True)):
        if hand is not None:
            orders[name] = hand.move(scene.velocity[end][tick], world, places[1 - end], length)
        elif body is not None:
            # A push fades as the body gains speed, so that it stays near its largest one.
            force = scene.strength(body.mass) * scene.push[end][tick]
            velocity = (tether.base_body, tether.end_body)[end]["velocity"]
            ahead = float(velocity @ force) / (np.linalg.norm(force) + 1e-9)
            orders[f"{name}_force"] = force * np.clip(1.0 - ahead / scene.speed_max, 0.0, 1.0)
            if isinstance(body, tl.RigidBody):
                orders[f"{name}_torque"] = body.inertia[0, 0] * scene.twist[end][tick]
    base, other = hands
    if base is None:
        reel = 0.0  # there is no winch
    elif base.yields:
        reel = max(reel, 0.0)
    elif other is not None:
        apart = float(np.linalg.norm(base.position - other.position))
        if length + reel * scene.tick < apart + 0.05:
            reel = max(reel, 0.0)
    if not LENGTH_RANGE[0] < length + reel * scene.tick < LENGTH_RANGE[1]:
        reel = 0.0
    orders["reel_speed"] = reel
    return orders


def _measure(
    out: Result,
    tether: tl.Tether,
    world: tl.World,
    scene: Scene,
    watches: list[tuple[Any, PoleWatch]],
    hands: list[Hand | None],
    bodies: list[Any],
    tick: int,
) -> None:
    """Update the worst values seen."""
    strain = strain_peak(tether)
    if strain > out["strain"]:
        out["strain"], out["strain_time"] = strain, tick * scene.tick
    if tick % LOOK:
        return
    nodes = tether.nodes
    inner = nodes[int(hands[0] is not None) : len(nodes) - int(hands[1] is not None)]
    depth = -float(np.min(world.distance(inner))) if len(inner) else 0.0
    if depth > out["depth"]:
        out["depth"], out["depth_time"] = depth, tick * scene.tick
    out["depth_between"] = max(out["depth_between"], -float(np.min(world.distance(between_nodes(tether)))))
    for hand, node in zip(hands, nodes[[0, -1]], strict=True):
        if hand is not None:
            out["end_clear"] = min(out["end_clear"], float(world.distance(node)))
    for body, now in zip(bodies, (tether.base_body, tether.end_body), strict=True):
        if body is not None:
            inside = body.radius - float(world.distance(now["position"]))
            out["depth_body"] = max(out["depth_body"], inside)
    out["speed"] = max(out["speed"], float(np.linalg.norm(tether.velocities, axis=1).max()))
    for pole, watch in watches if scene.tick < WATCHED else ():
        moving = pole.name == scene.mover
        centre = pole.home + (scene.mover_offset[tick] if moving else 0.0)
        velocity = scene.mover_velocity[tick] if moving else np.zeros(3)
        if watch.look(tether, centre, velocity, LOOK * scene.tick):
            out["crossing_times"].append(round(tick * scene.tick, 3))


def reasons(out: Result, scene: Scene) -> list[str]:
    """What is wrong with a run, in words."""
    found = []
    if out["error"]:
        found.append(out["error"])
    if out["gain"] > GAIN_MAX:
        found.append(f"gains {out['gain']:.3g} J in the quiet phase, at {out['gain_time']:.2f} s")
    if out["ledger"] > LEDGER_MAX:
        found.append(f"{100 * out['ledger']:.2g} % of the energy exchanged is missing from the books")
    if out["depth"] > DIAMETERS_MAX * scene.spec.diameter:
        found.append(f"node {1e3 * out['depth']:.1f} mm inside an obstacle at {out['depth_time']:.2f} s")
    if out["crossings"] > out["unclear"]:
        found.append(f"passes {out['crossings']} x through the pole, at {out['crossing_times'][:6]} s")
    if 0.0 < STRAIN_RATIO_MAX * out["strain_shadow"] < out["strain"]:
        found.append(
            f"strain {out['strain']:.4f} against {out['strain_shadow']:.4f} in fine steps, "
            f"at {out['strain_time']:.2f} s"
        )
    return found


def study(job: tuple[int, bool, bool]) -> Result:
    """The run of a seed and, if asked for, its reference in fine steps, as a shadow and from start to end."""
    seed, wide, with_reference = job
    scene = draw_scene(seed, wide)
    measured = run(scene, with_shadow=with_reference)
    result: Result = {"seed": seed, "scene": scene.describe(), "diameter": scene.spec.diameter, **measured}
    result["reference"] = None
    result["reasons"] = reasons(result, scene)
    if with_reference:
        fine = run(scene, STEP_REFERENCE)
        result["reference"] = fine
        result["reasons"] += ["in fine steps: " + reason for reason in reasons(fine, scene)]
        if not result["error"] and not fine["error"]:  # else the two have not seen the same
            result["strain_ratio"] = result["strain"] / max(result["strain_shadow"], 1e-12)
            result["whole_ratio"] = result["strain"] / max(fine["strain"], 1e-12)
    return result


def warm_up() -> None:
    """Compile, or load what is compiled, before anything is timed."""
    spec = tl.TetherSpec(linear_density=0.1, diameter=0.008)
    tether = tl.Tether(spec, base=(0.0, 0.0, 1.0), end=(1.0, 0.0, 1.0), length=1.2, world=tl.World.ground())
    tether.step(0.005)


def _start_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    warm_up()


def run_all(
    seeds: list[int],
    references: set[int],
    jobs: int,
    verbose: bool,
    wide: bool = False,
    path: Path | None = None,
) -> list[Result]:
    """Results of all seeds so far as they got, by seed.

    path: a file to which each is appended at once, and whose results are not computed again.
    """
    results: list[Result] = []
    if path is not None and path.exists():
        known = {result["seed"]: result for result in map(json.loads, path.read_text().splitlines())}
        results = [known[seed] for seed in seeds if seed in known]
    done = {result["seed"] for result in results}
    work = [(seed, wide, seed in references) for seed in seeds if seed not in done]
    warm_up()
    started = time.perf_counter()
    pool = multiprocessing.get_context("spawn").Pool(jobs, _start_worker)
    try:
        for result in pool.imap_unordered(study, work):
            results.append(result)
            if path is not None:
                with path.open("a") as file:
                    file.write(json.dumps(result) + "\n")
            if verbose or result["reasons"]:
                _say(f"seed {result['seed']}: {'; '.join(result['reasons']) or 'good'}  ({result['scene']})")
            spent = time.perf_counter() - started
            bad = sum(bool(r["reasons"]) for r in results)
            if sys.stderr.isatty() or len(results) % 20 == 0:
                line = f"{len(results)}/{len(seeds)} runs, {bad} failed, {spent:.0f} s"
                print(line, end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)
        pool.close()
    except KeyboardInterrupt:
        _say(f"stopped after {len(results)} of {len(seeds)} runs")
        pool.terminate()
    pool.join()
    return sorted(results, key=lambda result: int(result["seed"]))


def _say(text: str) -> None:
    print(text, flush=True)


def summary(results: list[Result]) -> str:
    """Counts, and the worst cases."""
    if not results:
        return "no runs"
    fine = [r["reference"] | {"seed": r["seed"]} for r in results if r["reference"] is not None]
    every = [*results, *fine]
    compared = [r for r in results if "strain_ratio" in r]

    def worst(key: str, rows: list[Result]) -> str:
        row = max(rows, key=lambda r: float(r[key]))
        return f"{row[key]:.4g} (seed {row['seed']})"

    lines = [
        f"runs                          {len(results)}, of these with reference {len(fine)}",
        f"failed                        {sum(bool(r['reasons']) for r in results)}; below with references",
        f"  stopped (error or NaN)      {sum(bool(r['error']) for r in every)}",
        f"  energy gain > {GAIN_MAX} J       {sum(r['gain'] > GAIN_MAX for r in every)}, "
        f"worst {worst('gain', every)} J",
        f"  node deeper than a diameter {sum(r['depth'] > DIAMETERS_MAX * r['diameter'] for r in results)}, "
        f"worst {worst('depth', every)} m",
        f"  books off by > {100 * LEDGER_MAX:g} %       {sum(r['ledger'] > LEDGER_MAX for r in every)}, "
        f"worst {worst('ledger', every)}",
        f"  passed through a pole       {sum(r['crossings'] > 0 for r in every)}, "
        f"looks that could not tell {sum(r['unclear'] for r in every)}",
    ]
    if compared:
        ratios = np.array([r["strain_ratio"] for r in compared])
        lines.append(
            f"  strain > {STRAIN_RATIO_MAX} of reference   {int((ratios > STRAIN_RATIO_MAX).sum())}, "
            f"worst {worst('strain_ratio', compared)}, median {np.median(ratios):.4f}"
        )
        whole = np.array([r["whole_ratio"] for r in compared])
        lines.append(
            f"  against a run in fine steps from the start, which soon goes another way: above "
            f"{STRAIN_RATIO_MAX} in {int((whole > STRAIN_RATIO_MAX).sum())}, below 1/{STRAIN_RATIO_MAX} in "
            f"{int((whole < 1 / STRAIN_RATIO_MAX).sum())}, median {np.median(whole):.4f}"
        )
    factor = np.array([r["real_time_factor"] for r in results])
    lines += [
        f"largest strain                {worst('strain', results)}",
        f"deepest between nodes         {worst('depth_between', every)} m",
        f"deepest body                  {worst('depth_body', every)} m",
        f"fastest node                  {worst('speed', results)} m/s",
        f"CPU                           {sum(r['cpu'] for r in results):.0f} s, "
        f"real-time factor median {np.median(factor):.1f}, least {factor.min():.2f}",
    ]
    return "\n".join(lines)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Random runs that try to break the tether.")
    parser.add_argument("--seeds", default="0:1000", help="first:last, last not included, or a list 3,7,10")
    parser.add_argument("--wide", action="store_true", help="scenes at the edges of what a tether accepts")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--reference", choices=["none", "tenth", "all"], default="all")
    parser.add_argument("--json", type=Path, help="append each result to this file, a line each")
    parser.add_argument(
        "--verbose", action="store_true", help="one line for every run, not only for failures"
    )
    given = parser.parse_args()
    if ":" in given.seeds:
        first, last = (int(part) for part in given.seeds.split(":"))
        seeds = list(range(first, last))
    else:
        seeds = [int(part) for part in given.seeds.split(",")]
    wanted = {"none": [], "tenth": [s for s in seeds if s % 10 == 0], "all": seeds}[given.reference]
    results = run_all(seeds, set(wanted), given.jobs, given.verbose, given.wide, given.json)
    _say(summary(results))
    sys.exit(1 if any(result["reasons"] for result in results) else 0)


if __name__ == "__main__":
    main()
