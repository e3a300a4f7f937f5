"""Random graphs: is there a scene of bodies and tethers that breaks the solve of islands?

Each seed draws up to 8 bodies of 1 g to 100 kg and up to 12 tethers of 0.2 g to 5 kg with EA from 1e3 to
1e6 N between them, to hands and to nothing, trees and loops alike, above a ground with a box and a sphere.
For 2 s bodies are pushed, hands move, winches reel and ends are released and tied again; then 1 s of quiet,
in which nothing does work, so that energy may only fall. Run

    python -m validation.graph_fuzz --seeds 0:500 --jobs 2
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tetherlab as tl
from tetherlab.math.kernel import plain
from tetherlab.plant.graph import Graph
from tetherlab.plant.graph_build import (
    BodyStart,
    TetherStart,
    Tie,
    build_graph,
    hold_here,
    open_tether,
    release_end,
    tie_end,
)
from tetherlab.plant.island_step import advance_graph
from tetherlab.tether import model as M
from tetherlab.tether.readout import energy_of

BODIES_MAX, TETHERS_MAX = 8, 12
VIOLENT, QUIET, TICK = 2.0, 1.0, 0.01  # [s]
GAIN_MAX = 0.05  # energy that may appear in the quiet phase [J]
LEDGER_MAX, LEDGER_NOTHING = 0.01, 0.1  # share of the energy exchanged that may be missing; [J]
HOLD_MAX = 0.05  # strain at which a hand gives way
Vector = NDArray[np.float64]
Result = dict[str, Any]


def total_energy(graph: Graph) -> tuple[float, float, float]:
    """Energy, less what the books say was given and more what was taken [J]; the sum of their sizes."""
    energy, given, taken = 0.0, 0.0, 0.0
    for t in range(len(graph.tie)):
        memory = plain(M.memory_row)(graph.memories, t)
        own = energy_of(plain(M.open_model)(memory), plain(M.open_state)(memory))
        energy += own.total
        given += own.work + own.work_winch
        taken += own.dissipated
    for body in graph.body:
        L_B = body["R_WB"].T @ body["L_W"]
        energy += 0.5 * float(body["mass"] * body["v_W"] @ body["v_W"])
        energy += 0.5 * float(L_B @ np.linalg.solve(body["inertia_B"], L_B))
        energy += graph.gravity * float(body["mass"] * body["p_W"][2])
    energy += float(graph.body_contact["stored"].sum())
    given += float(graph.books[0]["work"])
    taken += float(graph.books[0]["dissipated"])
    return energy, energy + taken - given, abs(given) + abs(taken)


class Scene:
    """A graph drawn from a seed, and what happens to it."""

    def __init__(self, seed: int) -> None:
        self.random = random = np.random.default_rng([seed, 22])
        shapes: list[Any] = [tl.shapes.Plane(name="ground")]
        if random.random() < 0.5:
            shapes.append(tl.shapes.Box(lower=(0.35, 0.1, 0.0), upper=(0.85, 0.5, 0.6), name="box"))
        if random.random() < 0.5:
            shapes.append(tl.shapes.Sphere(center=(-0.8, -0.4, 0.7), radius=0.3, name="sphere"))
        self.world = tl.World(shapes, gravity=float(random.choice([9.80665, 9.80665, 3.71])))
        self.wind = tl.Wind.uniform(random.uniform(-10.0, 10.0, 3) * (1.0, 1.0, 0.0)).field
        count = int(random.integers(1, BODIES_MAX + 1))
        self.places = self._draw_places(count)
        bodies = []
        for place in self.places:
            mass = 10.0 ** random.uniform(-3.0, 2.0)
            body = tl.RigidBody(
                mass=mass,
                inertia=0.4 * mass * 0.1**2 * np.array((1.0, random.uniform(0.6, 1.4), 1.0)),
                radius=float(random.choice([0.05, 0.1])),
                angular_velocity=random.uniform(-1.0, 1.0, 3),
            )
            bodies.append(BodyStart(body, place, random.uniform(-1.0, 1.0, 3)))
        tethers = [self._draw_tether(count) for _ in range(random.integers(1, TETHERS_MAX + 1))]
        self.graph = build_graph(self.world.gravity, bodies, tethers, len(shapes))
        for t in range(len(tethers)):
            for end in range(2):
                if tethers[t].ties[end] is None and random.random() < 0.3:
                    self.graph = release_end(self.graph, t, end)
        self.described = f"{count} bodies, {len(tethers)} tethers, {len(self.graph.program.island)} islands"

    def _draw_places(self, count: int) -> Vector:
        """Centres that are apart from each other and from obstacles."""
        places: list[Vector] = []
        while len(places) < count:
            place = self.random.uniform((-2.5, -2.5, 0.4), (2.5, 2.5, 3.0))
            if self.world.distance(place) > 0.25 and all(np.linalg.norm(place - p) > 0.4 for p in places):
                places.append(place)
        return np.array(places)

    def _draw_tether(self, count: int) -> TetherStart:
        random = self.random
        while True:
            ties: list[Tie | None] = []
            ends: list[Vector] = []
            for _ in range(2):
                body = int(random.integers(-1, count))
                if body < 0:
                    ties.append(None)
                    ends.append(random.uniform((-2.5, -2.5, 0.4), (2.5, 2.5, 3.0)))
                else:
                    r_B = 0.06 * random.normal(size=3) / np.sqrt(3.0)
                    ties.append(Tie(body, r_B))
                    ends.append(self.places[body] + r_B)
            if self.world.distance(ends[0]) < 0.1 or self.world.distance(ends[1]) < 0.1:
                continue
            apart = float(np.linalg.norm(ends[1] - ends[0]))
            length = max(1.02 * apart + random.uniform(0.0, 1.0), 0.3)
            aside = np.cross(ends[1] - ends[0] + 1e-3, random.normal(size=3))
            reach = np.sqrt(max(0.25 * (length**2 - apart**2), 0.0))
            corner = 0.5 * (ends[0] + ends[1]) + reach * aside / np.linalg.norm(aside)
            line = np.concatenate([np.linspace(ends[0], corner, 40), np.linspace(corner, ends[1], 40)])
            if float(np.min(self.world.distance(line))) > 0.02:
                break
        stiffness = 10.0 ** random.uniform(3.0, 6.0)
        mass = 10.0 ** random.uniform(np.log10(2e-4), np.log10(5.0))
        spec = tl.TetherSpec(
            linear_density=mass / length,
            diameter=random.uniform(0.003, 0.01),
            axial_stiffness=stiffness,
            axial_damping=stiffness * float(random.choice([0.0, 1e-4, 1e-2])),
            bending_stiffness=float(random.choice([0.0, 0.0, 10.0 ** random.uniform(-4.0, -1.0)])),
            friction=random.uniform(0.0, 0.8),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tether = tl.Tether(
                spec, base=ends[0], end=ends[1], length=length, shape=[ends[0], corner, ends[1]],
                element_length=random.uniform(0.05, 0.2), world=self.world,
            )  # fmt: skip
        return TetherStart(tether, (ties[0], ties[1]))

    def command(self, tick: int, quiet: bool) -> bool:
        """Pushes, hands, winches and changes of this tick; whether something was tied or released."""
        graph, random = self.graph, self.random
        if tick % 20 == 0:
            strength = np.minimum(20.0 * graph.body["mass"], 40.0)[:, None]
            graph.body["force_W"] = strength * random.uniform(-1.0, 1.0, (len(graph.body), 3))
            self.velocity = random.uniform(-3.0, 3.0, (len(graph.tie), 2, 3))
            graph.command["reel_speed"] = random.choice([0.0, 1.0], len(graph.tie)) * random.uniform(
                -1.0, 1.0, len(graph.tie)
            )
        changed = not quiet and tick % 50 == 25 and self._change()
        graph = self.graph
        for t in range(len(graph.tie)):
            state = open_tether(graph, t)
            count = int(state.number[M.COUNT])
            length = float(state.rest[:count].sum())
            hold_here(graph, t)
            if quiet:
                graph.command[t]["reel_speed"] = 0.0
                continue
            if not 0.3 < length < 6.0 or state.tension[0] > HOLD_MAX * graph.memories.constants[t, 1]:
                graph.command[t]["reel_speed"] = abs(graph.command[t]["reel_speed"]) * (length < 6.0)
            strained = float(state.tension[:count].max()) > HOLD_MAX * graph.memories.constants[t, 1]
            for end in range(2):
                if state.number[M.KIND_BASE + end] == M.PRESCRIBED and not strained:
                    place = state.x[end * count]
                    v = self.velocity[t, end].copy()
                    if self.world.distance(place) < 0.3:
                        n = self.world.gradient(place)
                        v += max(1.0 - float(v @ n), 0.0) * n
                    v = np.where(np.abs(place) > 3.0, -np.sign(place) * np.abs(v), v)
                    graph.command[t]["position_W"][end] += TICK * v
                    graph.command[t]["velocity_W"][end] = v
        if quiet:
            graph.body["force_W"] = 0.0
        return changed

    def _change(self) -> bool:
        """Release an end, or tie a free one to a body that it is near."""
        graph, random = self.graph, self.random
        t, end = int(random.integers(len(graph.tie))), int(random.integers(2))
        state = open_tether(graph, t)
        kind = state.number[M.KIND_BASE + end]
        if kind == M.CARRIED:
            self.graph = release_end(graph, t, end)
            return True
        if kind == M.FREE:
            place = state.x[end * int(state.number[M.COUNT])]
            near = np.linalg.norm(graph.body["p_W"] - place, axis=1)
            body = int(np.argmin(near))
            if near[body] < 0.5:
                R = graph.body[body]["R_WB"]
                self.graph = tie_end(graph, t, end, Tie(body, R.T @ (place - graph.body[body]["p_W"])))
                return True
        return False


def run(seed: int) -> Result:
    """One run with its measures."""
    scene = Scene(seed)
    out: Result = {"seed": seed, "scene": scene.described, "error": "", "gain": 0.0, "ledger": 0.0}
    field = scene.world.field
    own = field._replace(pose=field.pose.copy())
    energy, balance, _ = total_energy(scene.graph)
    lowest, exchanged, last = np.inf, LEDGER_NOTHING, total_energy(scene.graph)
    began = time.process_time()
    ticks = round((VIOLENT + QUIET) / TICK)
    for tick in range(ticks):
        quiet = tick * TICK >= VIOLENT
        if scene.command(tick, quiet):
            balance += total_energy(scene.graph)[1] - last[1]
            last = total_energy(scene.graph)
        wind = tl.Wind.calm().field if quiet else scene.wind
        if not advance_graph(scene.graph, own, field.pose, wind, TICK):
            out["error"] = f"an island did not converge at {tick * TICK:.2f} s"
            break
        energy, now, moved = total_energy(scene.graph)
        if not np.isfinite(energy):
            out["error"] = f"NaN at {tick * TICK:.2f} s"
            break
        exchanged += abs(energy - last[0]) + abs(moved - last[2])
        last = (energy, now, moved)
        out["ledger"] = max(out["ledger"], abs(now - balance) / exchanged)
        if quiet and tick * TICK > VIOLENT + 0.15:  # offsets at the winches have faded
            out["gain"] = max(out["gain"], energy - lowest)
            lowest = min(lowest, energy)
    island = scene.graph.program.island
    out["cpu"] = time.process_time() - began
    out["steps"] = int(island["steps"].sum())
    out["discarded"] = int(island["discarded"].sum())
    out["reasons"] = [
        *([out["error"]] if out["error"] else []),
        *([f"gains {out['gain']:.3g} J in the quiet phase"] if out["gain"] > GAIN_MAX else []),
        *([f"{100 * out['ledger']:.2g} % missing from the books"] if out["ledger"] > LEDGER_MAX else []),
    ]
    return out


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Random graphs that try to break the solve of islands.")
    parser.add_argument("--seeds", default="0:500", help="first:last, last not included, or a list 3,7,10")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    if ":" in given.seeds:
        seeds = list(range(*(int(part) for part in given.seeds.split(":"))))
    else:
        seeds = [int(part) for part in given.seeds.split(",")]
    results = []
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool:
        for result in pool.imap_unordered(run, seeds):
            results.append(result)
            if result["reasons"] or len(seeds) < 10:
                print(
                    f"seed {result['seed']}: {'; '.join(result['reasons']) or 'good'} ({result['scene']}; "
                    f"{result['steps']} steps, {result['discarded']} discarded, {result['cpu']:.1f} s CPU)",
                    flush=True,
                )
    failed = sum(bool(result["reasons"]) for result in results)
    print(
        f"{len(results)} runs, {failed} failed; worst gain {max(r['gain'] for r in results):.3g} J, worst "
        f"ledger {max(r['ledger'] for r in results):.2g}; {sum(r['cpu'] for r in results):.0f} s CPU"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
