"""What tethers cost when they hang together: islands beside as many single tethers, and beside MuJoCo.

    python benchmarks/islands.py [--counts 1 4 8] [--rounds 9]

Ratios of CPU time for the same simulated time, all in one process, in turns, medians with lowest and highest.
Each tether is 5 m long with 50 elements and has a body at each end; all floats freely, thrown at random, but
for the load, which drones with a constant thrust carry. See benchmarks/README.md.
"""

import argparse
import statistics
import time
import warnings
from dataclasses import replace

import numpy as np

import tetherlab as tl
from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.math.kernel import entry_point
from tetherlab.plant.graph_build import BodyStart, TetherStart, Tie, build_graph
from tetherlab.plant.island_step import advance_graph

CORD = tl.TetherSpec(linear_density=0.03, diameter=0.004, axial_stiffness=1e4, axial_damping=10.0)
LENGTH, CALL, WINDOW = 5.0, 0.1, 1.0  # [m], [s], [s]
GRAVITY = 9.80665
CALM = tl.Wind.calm().field
FLOATING, EARTH = tl.World(gravity=0.0), tl.World(gravity=GRAVITY)
ARM = np.array((0.02, 0.0, 0.05))  # of the ties [m]
COUNTS = (1, 2, 4, 8, 16, 32)


def edges(kind, count):
    """The bodies that each tether joins."""
    if kind == "series":
        return [(i, i + 1) for i in range(count)]
    if kind == "ring":
        return [(i, (i + 1) % count) for i in range(count)]
    return [(0, i + 1) for i in range(count)]  # star, load


def body(mass, **options):
    return tl.RigidBody(mass=mass, inertia=np.array((0.01, 0.02, 0.015)) * mass, **options)


def hang(base, end, world, random, **options):
    """A tether between two points that are a little less apart than it is long, as a V."""
    aside = np.cross(end - base, random.normal(size=3))
    reach = np.sqrt(0.25 * (LENGTH**2 - float((end - base) @ (end - base))))
    middle = 0.5 * (base + end) + reach * aside / np.linalg.norm(aside)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tl.Tether(
            CORD, base=base, end=end, length=LENGTH, shape=[base, middle, end], world=world, **options
        )


class Island:
    """The same tethers between bodies in one graph."""

    def __init__(self, kind, count, seed=1):
        random = np.random.default_rng(seed)
        self.joins = edges(kind, count)
        bodies = 1 + max(max(pair) for pair in self.joins)
        self.world = EARTH if kind == "load" else FLOATING
        places = self.places(kind, bodies, count, random)
        self.starts, thrust = [], np.zeros((bodies, 3))
        for i, place in enumerate(places):
            hub = i == 0 or kind in ("series", "ring")
            spin = {} if kind == "load" else {"angular_velocity": random.uniform(-0.3, 0.3, 3)}
            thrown = np.zeros(3) if kind == "load" else random.uniform(-0.3, 0.3, 3)
            self.starts.append(BodyStart(body(1.0 if hub else 0.5, **spin), place, thrown))
            if kind == "load" and i > 0:
                way = (place - places[0]) / np.linalg.norm(place - places[0])
                lift = 1.0 / count + CORD.linear_density * LENGTH + 0.5
                thrust[i] = GRAVITY * lift * np.array((way[0] / way[2], way[1] / way[2], 1.0))
                thrust[i, :2] *= (1.0 / count + 0.5 * CORD.linear_density * LENGTH) / lift
        self.tethers = []
        for one, other in self.joins:
            tether = hang(places[one] + ARM, places[other] + ARM, self.world, random)
            self.tethers.append(TetherStart(tether, (Tie(one, ARM), Tie(other, ARM))))
        self.graph = build_graph(self.world.gravity, self.starts, self.tethers)
        self.graph.body["force_W"] = thrust
        self.field = self.world.field
        own = self.field._replace(pose=self.field.pose.copy())
        self.arguments = (self.graph, own, self.field.pose, CALM, CALL)
        advance_graph(*self.arguments)
        self.advance = entry_point(advance_graph, self.arguments)

    @staticmethod
    def places(kind, bodies, count, random):
        if kind == "series":
            return np.arange(bodies)[:, None] * np.array((4.8, 0.0, 0.0))
        angle = 2.0 * np.pi * np.arange(count) / count
        if kind == "ring":
            radius = 2.4 / np.sin(np.pi / count) if count > 1 else 1.0
            return radius * np.array([np.cos(angle), np.sin(angle), 0.0 * angle]).T
        tilt = 0.5 if kind == "load" else 0.0
        way = np.array([np.cos(angle), np.sin(angle), tilt + 0.0 * angle]).T
        if kind == "load":
            way[:, 2] = 2.0
        way /= np.linalg.norm(way, axis=1)[:, None]
        return np.vstack((np.zeros(3), 4.8 * way))

    def run(self, duration):
        for _ in range(round(duration / CALL)):
            if not self.advance(*self.arguments):
                raise SystemExit("an island did not converge")

    def effort(self):
        """Newton iterations per step."""
        island = self.graph.program.island
        return float(island["iterations"].sum() / island["steps"].sum())


class Singles:
    """The tethers of an island one by one, each with bodies of its own that start alike."""

    def __init__(self, kind, count):
        island = Island(kind, count)
        self.tethers, self.thrust = [], []
        for (one, other), start in zip(island.joins, island.tethers, strict=True):
            bodies = [island.starts[i].body for i in (one, other)]
            if kind == "load":
                bodies[0] = body(bodies[0].mass / count)
            bodies = [replace(b, attachment=ARM) for b in bodies]
            shape, moving = start.tether.nodes, [island.starts[i].velocity for i in (one, other)]
            tether = tl.Tether(
                CORD, base=shape[0], end=shape[-1], length=LENGTH, shape=shape, world=island.world,
                base_body=bodies[0], end_body=bodies[1],
            )  # fmt: skip
            share = np.linspace(0.0, 1.0, len(shape))[:, None]
            for i in range(2):
                tether._state.body[i]["v_W"] = moving[i]
            tether._state.v[: len(shape)] = (1.0 - share) * moving[0] + share * moving[1]
            self.tethers.append(tether)
            self.thrust.append(tuple(island.graph.body[other]["force_W"]) if kind == "load" else None)

    def run(self, duration):
        for tether, thrust in zip(self.tethers, self.thrust, strict=True):
            for _ in range(round(duration / CALL)):
                tether.step(CALL, end_force=thrust)


class Fours:
    """Four drones, held in place by a simple law from outside, with a load: a scene as users run it."""

    def __init__(self):
        scene = Scene(EARTH)
        load = scene.add_body(body(1.0), name="load", position=(0.0, 0.0, 0.0))
        self.goals = {}
        for k, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
            place = np.array((1.2 * x, 1.2 * y, 4.4))
            drone = scene.add_body(body(0.5), name=f"drone{k}", position=place)
            self.goals[f"drone{k}"] = place + np.array((0.3, 0.1, 0.2))
            scene.add_tether(CORD, name=f"line{k}", start=load.site(), end=drone.site(), length=LENGTH)
        self.sim = SceneSimulation(scene, dt=0.01)

    def run(self, duration):
        for _ in range(round(duration / 0.01)):
            for name, goal in self.goals.items():
                drone = self.sim[name]
                force = 8.0 * (goal - drone.position) - 5.0 * drone.velocity + (0.0, 0.0, 9.4)
                self.sim.command(name, force=force)
            self.sim.step()


class Peer:
    """The load and its drones in MuJoCo, with rigid links on ball joints, or with flexes."""

    def __init__(self, count, model, step=0.005):
        import mujoco

        self.step, self.mujoco = step, mujoco
        island = Island("load", count)
        self.model = mujoco.MjModel.from_xml_string((_chain if model == "chain" else _flex)(island, step))
        if model == "flex":
            self.model.flexedge_length0[:] = 0.1
            self.model.flexedge_invweight0[:] = 1.0 / (CORD.linear_density * 0.1)
        self.data = mujoco.MjData(self.model)
        for k in range(count):
            drone = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, f"d{k + 1}")
            self.data.xfrc_applied[drone, :3] = island.graph.body["force_W"][k + 1]

    def run(self, duration):
        self.mujoco.mj_step(self.model, self.data, round(duration / self.step))
        if not np.all(np.isfinite(self.data.qpos)) or self.data.warning.number.any():
            raise FloatingPointError("MuJoCo became unstable")


def _numbers(values):
    return " ".join(f"{value:.12g}" for value in np.ravel(values))


def _inertial(mass):
    inertia = _numbers(mass * np.array((0.01, 0.02, 0.015)))
    return f'<inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia}"/>'


def _chain(island, step):
    """A tree of links: no constraint is needed."""
    links = []
    for k in range(len(island.joins)):
        end = island.graph.body[k + 1]["p_W"]
        x = end / np.linalg.norm(end)
        side = np.cross((0.3, 0.5, 0.1), x)
        side /= np.linalg.norm(side)
        link = f'<body pos="0 0 0" xyaxes="{_numbers(x)} {_numbers(side)}"><joint type="ball"/>'
        rest = (
            f'<geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.002" mass="{0.1 * CORD.linear_density}"'
            ' contype="0" conaffinity="0"/>'
        )
        links.append(
            link + rest + 49 * ('<body pos="0.1 0 0"><joint type="ball"/>' + rest)
            + f'<body name="d{k + 1}" pos="0.1 0 0"><joint type="ball"/>{_inertial(0.5)}</body>'
            + 50 * "</body>"
        )  # fmt: skip
    return f"""<mujoco><option timestep="{step}" integrator="implicitfast"/><worldbody>
<body><freejoint/>{_inertial(1.0)}{"".join(links)}</body></worldbody></mujoco>"""


def _flex(island, step):
    """Particles whose edges obey the same law as our elements; see apps/bench/peer_flex.py."""
    mass, impedance = 0.1 * CORD.linear_density, 0.01
    scale = (1.0 - impedance) / mass
    law = f"{-CORD.axial_stiffness / 0.1 * scale:.12g} {-CORD.axial_damping / 0.1 * scale:.12g}"
    slides = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
    bodies, flexes, laws = [f'<body name="load"><freejoint/>{_inertial(1.0)}</body>'], [], []
    for k in range(len(island.joins)):
        end = island.graph.body[k + 1]["p_W"]
        names = ["load"]
        for i in range(1, 50):
            names.append(f"n{k}_{i}")
            bodies.append(
                f'<body name="{names[-1]}" pos="{_numbers(end * i / 50)}">'
                f'<inertial pos="0 0 0" mass="{mass}" diaginertia="{mass} {mass} {mass}"/>{slides}</body>'
            )
        names.append(f"d{k + 1}")
        bodies.append(f'<body name="d{k + 1}" pos="{_numbers(end)}"><freejoint/>{_inertial(0.5)}</body>')
        elements = " ".join(f"{i} {i + 1}" for i in range(50))
        flexes.append(
            f'<flex name="t{k}" dim="1" radius="0.002" body="{" ".join(names)}" element="{elements}">'
            '<contact selfcollide="none" contype="0" conaffinity="0"/></flex>'
        )
        laws.append(f'<flex flex="t{k}" solref="{law}" solimp="{impedance} {impedance} 1"/>')
    return f"""<mujoco><option timestep="{step}" integrator="discrete" solver="Newton" iterations="1"
 jacobian="sparse"><flag island="disable" warmstart="disable"/></option>
<worldbody>{"".join(bodies)}</worldbody>
<deformable>{"".join(flexes)}</deformable><equality>{"".join(laws)}</equality></mujoco>"""


def cpu(what, duration):
    began = time.process_time()
    what.run(duration)
    return (time.process_time() - began) / duration


def compare(scenes, rounds, duration=WINDOW):
    """CPU time per simulated second of each, taken in turns; the first turn is not counted."""
    for scene in scenes.values():
        scene.run(duration)
    times = {name: [] for name in scenes}
    for _ in range(rounds):
        for name, scene in scenes.items():
            times[name].append(cpu(scene, duration))
    return times


def ratio(some, others):
    """Median with lowest and highest of the ratios, round by round."""
    each = sorted(a / b for a, b in zip(some, others, strict=True))
    return f"{statistics.median(each):.2f} ({each[0]:.2f} to {each[-1]:.2f})"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--counts", type=int, nargs="+", default=COUNTS)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--without-mujoco", action="store_true")
    given = parser.parse_args()
    print("CPU time over that of as many single tethers; Newton iterations per step")
    print("| n | star | series | ring | load with n drones |")
    print("|---|---|---|---|---|")
    growth = []
    for count in given.counts:
        cells = []
        for kind in ("star", "series", "ring", "load"):
            if kind == "ring" and count < 3:
                cells.append("")
                continue
            island = Island(kind, count)
            times = compare({"singles": Singles(kind, count), kind: island}, given.rounds)
            cells.append(f"{ratio(times[kind], times['singles'])}, {island.effort():.2f}")
            if kind == "star":
                growth.append(statistics.median(times[kind]) / count)
        print(f"| {count} | {' | '.join(cells)} |", flush=True)
    print("star, CPU time per tether: " + ", ".join(f"{g / growth[0]:.2f}" for g in growth))
    fours = Fours()
    speed = statistics.median(1.0 / t for t in compare({"fours": fours}, given.rounds)["fours"])
    print(f"four drones with a load, controlled from outside every 10 ms: {speed:.0f} times real time")
    if given.without_mujoco:
        return
    print("CPU time of MuJoCo over ours, a load with n drones, steps of 5 ms")
    print("| n | links on ball joints | flex |")
    print("|---|---|---|")
    for count in given.counts:
        cells = []
        for model in ("chain", "flex"):
            try:
                times = compare({"ours": Island("load", count), "peer": Peer(count, model)}, 3, 0.5)
                cells.append(ratio(times["peer"], times["ours"]))
            except FloatingPointError as problem:
                cells.append(str(problem))
        print(f"| {count} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
