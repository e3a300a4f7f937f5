"""MuJoCo's flex in one dimension: particles whose edges are equality constraints or springs."""

import math
from dataclasses import dataclass

import numpy as np

from tetherlab.apps.bench.drive import HOLDER_MASS, drive_holder, element_drag, load_mujoco, text
from tetherlab.apps.bench.engine import Engine, EngineKind
from tetherlab.apps.bench.scene import Array, Scene
from tetherlab.math.kernel import njit

IMPEDANCE = 0.01  # of the exact edge law: adds an inertia of 1 % to the axial motion, see `_edge_law`


@dataclass(frozen=True)
class FlexSetting:
    """One way to run it.

    edges: "exact" is the scene's own law as a soft constraint, "hard" a constraint as stiff as MuJoCo
    recommends for the step, "default" its default softness, "spring" the explicit passive spring.
    """

    step: float  # [s], divides the chunk
    integrator: str = "discrete"
    edges: str = "exact"
    solver: str = "Newton"
    iterations: int = 1
    disable: tuple[str, ...] = ()  # flags of MuJoCo's option element

    def __str__(self) -> str:
        parts = [f"{1e3 * self.step:.3g} ms", self.integrator, f"{self.edges} edges", self.solver]
        if self.iterations != 1:
            parts.append(f"{self.iterations} iterations")
        return ", ".join(parts + [f"no {flag}" for flag in self.disable])


class Flex:
    """The scene in MuJoCo: node 0 fixed, node n on the heavy holder, particles on three slides between."""

    pull_is_mean = False

    def __init__(self, scene: Scene, element_count: int, setting: FlexSetting):
        mujoco = load_mujoco()
        self._step = mujoco.mj_step
        self._reset = mujoco.mj_resetData
        self._forward = mujoco.mj_forward
        self.scene = scene
        self.count = element_count
        self.start = scene.hanging_nodes(element_count)
        self.substeps = round(scene.chunk / setting.step)
        rest = scene.length / element_count
        self.model = mujoco.MjModel.from_xml_string(_xml(scene, self.start, setting))
        self.model.flexedge_length0[:] = rest
        self.model.flexedge_invweight0[:] = 1.0 / (scene.linear_density * rest)
        self.data = mujoco.MjData(self.model)
        area = 0.5 * scene.air_density * scene.diameter * rest
        self.law = np.array(
            [
                area * scene.drag_normal,
                area * scene.drag_tangential,
                0.5 * scene.linear_density * rest,
                scene.gravity,
                scene.chunk / self.substeps,
                scene.chunk,
                0.0 if setting.edges == "spring" else 1.0,
                scene.axial_stiffness / rest,
                rest,
            ]
        )
        self.now, self.target = np.zeros((2, 3)), np.zeros((2, 3))
        self.reset()

    def reset(self) -> None:
        """Back to the hanging shape, at rest."""
        self._reset(self.model, self.data)
        self._forward(self.model, self.data)
        self.now[0], self.now[1] = self.start[-1], 0.0
        self.previous = np.zeros(3 * self.count)
        # Views of MuJoCo's own arrays; looking them up at every chunk would cost as much as the drag.
        self.qpos, self.qvel, self.applied = self.data.qpos, self.data.qvel, self.data.qfrc_applied

    def advance(self, position: Array, velocity: Array) -> Array:
        """One chunk on; the force of the tether on the holder [N], (3,)."""
        self.target[0], self.target[1] = position, velocity
        _before(
            self.start,
            self.qpos,
            self.qvel,
            self.applied,
            self.previous,
            self.now,
            self.target,
            self.law,
            self.substeps,
        )
        self._step(self.model, self.data, self.substeps)
        pull = _after(self.start, self.qpos, self.data.efc_force, self.now, self.target, self.law)
        self.now[:] = self.target
        return pull

    def nodes(self) -> Array:
        """Nodes from base to end [m], (n + 1, 3)."""
        nodes = self.start.copy()
        nodes[1:] += self.qpos.reshape(-1, 3)
        return nodes


def _xml(scene: Scene, nodes: Array, setting: FlexSetting) -> str:
    count = len(nodes) - 1
    rest = scene.length / count
    mass = scene.linear_density * rest
    slides = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
    bodies = [f'<body name="n0" pos="{text(nodes[0])}"/>']
    for i in range(1, count + 1):
        m = mass if i < count else HOLDER_MASS
        bodies.append(
            f'<body name="n{i}" pos="{text(nodes[i])}">'
            f'<inertial pos="0 0 0" mass="{m:.17g}" diaginertia="{m} {m} {m}"/>{slides}</body>'
        )
    edge, equality = "", ""
    if setting.edges == "spring":
        # An explicit spring cannot bear the scene's damping; it gets what its step allows.
        damping = min(scene.axial_damping / rest, 0.1 * mass / setting.step)
        edge = f'<edge stiffness="{scene.axial_stiffness / rest:.17g}" damping="{damping:.17g}"/>'
    else:
        equality = f'<equality><flex flex="tether" {_edge_law(scene, rest, setting)}/></equality>'
    flags = " ".join(f'{flag}="disable"' for flag in ("autoreset", *setting.disable))
    names = " ".join(f"n{i}" for i in range(count + 1))
    elements = " ".join(f"{i} {i + 1}" for i in range(count))
    return f"""<mujoco>
<option timestep="{scene.chunk / round(scene.chunk / setting.step):.17g}" integrator="{setting.integrator}"
 solver="{setting.solver}" iterations="{setting.iterations}" gravity="0 0 {-scene.gravity}" jacobian="sparse">
<flag {flags}/></option>
<worldbody><geom type="plane" size="50 50 1" pos="0 0 {scene.ground_height}"/>{"".join(bodies)}</worldbody>
<deformable><flex name="tether" dim="1" radius="{0.5 * scene.diameter}"
 body="{names}" element="{elements}">
{edge}<contact selfcollide="none"/></flex></deformable>{equality}</mujoco>"""


def _edge_law(scene: Scene, rest: float, setting: FlexSetting) -> str:
    """The softness of the edges.

    A row with impedance d and inverse inertia A obeys  R f = -(k r + b v) - a,  R = A (1 - d) / d:  a spring
    k / R, a damper b / R and an inertia 1 / R. With k d and b d as solref and a small d it is the exact law.
    """
    if setting.edges == "default":
        return ""
    if setting.edges == "hard":
        return f'solref="{2.0 * setting.step} 1" solimp="0.9999 0.9999 0.001"'
    scale = (1.0 - IMPEDANCE) / (scene.linear_density * rest)  # R d
    stiffness, damping = scene.axial_stiffness / rest * scale, scene.axial_damping / rest * scale
    return f'solref="{-stiffness:.17g} {-damping:.17g}" solimp="{IMPEDANCE} {IMPEDANCE} 1"'


@njit(cache=True)
def _before(start, qpos, qvel, applied, previous, now, target, law, substeps):
    """Drag on all particles and the drive of the holder, the last of them."""
    count = start.shape[0] - 1
    load = np.zeros(3 * count)
    chord, velocity, drag = np.empty(3), np.empty(3), np.empty(3)
    for j in range(count):
        for k in range(3):
            b = 3 * j + k
            a = b - 3
            chord[k] = start[j + 1, k] + qpos[b] - start[j, k]
            velocity[k] = 0.5 * qvel[b]
            if j > 0:
                chord[k] -= qpos[a]
                velocity[k] += 0.5 * qvel[a]
        element_drag(chord, velocity, law[0], law[1], drag)
        for k in range(3):
            load[3 * j + k] += 0.5 * drag[k]
            if j > 0:
                load[3 * j - 3 + k] += 0.5 * drag[k]
    # Held for the whole chunk, so it should be that of its middle: extrapolated from this and the last one.
    for i in range(3 * count):
        applied[i] = 1.5 * load[i] - 0.5 * previous[i]
        previous[i] = load[i]
    last = 3 * count - 3
    drive_holder(now, target, law[4], substeps, law[3], qpos[last:], qvel[last:], applied[last:])
    for k in range(3):
        qpos[last + k] -= start[count, k]


@njit(cache=True)
def _after(start, qpos, row_forces, now, target, law):
    """The last element's force plus what its half at the holder weighs [N], (3,)."""
    count = start.shape[0] - 1
    pull = np.empty(3)
    for k in range(3):
        pull[k] = start[count - 1, k] + qpos[3 * count - 6 + k] - start[count, k] - qpos[3 * count - 3 + k]
    length = math.sqrt(pull[0] ** 2 + pull[1] ** 2 + pull[2] ** 2)
    tension = -row_forces[count - 1] if law[6] > 0.0 else law[7] * (length - law[8])
    for k in range(3):
        pull[k] = tension * pull[k] / length - law[2] * (target[1, k] - now[1, k]) / law[5]
    pull[2] -= law[2] * law[3]
    return pull


def ladder(element_length: float) -> list[FlexSetting]:
    """The exact law, long steps first; islands and warm start change nothing but, slightly, the time."""
    return [FlexSetting(0.01 / n, disable=("island", "warmstart")) for n in (1, 2, 3, 4, 5, 10, 20)]


def _build(scene: Scene, element_count: int, setting: FlexSetting) -> Engine:
    return Flex(scene, element_count, setting)


FLEX = EngineKind("mujoco-flex", ladder, _build)
