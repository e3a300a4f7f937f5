"""What users of rigid-body engines do today: capsules chained by ball joints, here in MuJoCo."""

from dataclasses import dataclass

import numpy as np

from tetherlab.apps.bench.drive import HOLDER_MASS, drive_holder, element_drag, load_mujoco, text
from tetherlab.apps.bench.engine import Engine, EngineKind
from tetherlab.apps.bench.scene import Array, Scene
from tetherlab.math.kernel import njit


@dataclass(frozen=True)
class ChainSetting:
    """One way to run it."""

    step: float  # [s], divides the chunk
    integrator: str = "Euler"
    solver: str = "PGS"
    iterations: int = 10

    def __str__(self) -> str:
        return f"{1e3 * self.step:.3g} ms, {self.integrator}, {self.solver}, {self.iterations} iterations"


class Chain:
    """The scene in MuJoCo: rigid links from the base on, the last one connected to the heavy holder."""

    pull_is_mean = False

    def __init__(self, scene: Scene, element_count: int, setting: ChainSetting):
        mujoco = load_mujoco()
        self._mujoco = mujoco
        self._step = mujoco.mj_step
        self.scene = scene
        self.count = element_count
        self.start = scene.hanging_nodes(element_count)
        self.substeps = round(scene.chunk / setting.step)
        self.model = mujoco.MjModel.from_xml_string(_xml(scene, self.start, setting))
        self.data = mujoco.MjData(self.model)
        area = 0.5 * scene.air_density * scene.diameter * scene.length / element_count
        # Velocities are those at the start of the last step; the drag is wanted for the middle of the chunk.
        ahead = 0.5 + 1.0 / self.substeps
        step = scene.chunk / self.substeps
        self.law = np.array(
            [area * scene.drag_normal, area * scene.drag_tangential, scene.gravity, step, ahead]
        )
        self.now, self.target = np.zeros((2, 3)), np.zeros((2, 3))
        self.reset()

    def reset(self) -> None:
        """Back to the hanging shape, at rest."""
        self._mujoco.mj_resetData(self.model, self.data)
        self._mujoco.mj_forward(self.model, self.data)
        self.now[0], self.now[1] = self.start[-1], 0.0
        self.previous = np.zeros((self.count, 3))

    def advance(self, position: Array, velocity: Array) -> Array:
        """One chunk on; the force of the tether on the holder [N], (3,)."""
        data = self.data
        self.target[0], self.target[1] = position, velocity
        _links_drag(
            data.xipos, data.ximat, data.cvel, data.subtree_com, data.xfrc_applied, self.previous, self.law
        )
        drive_holder(
            self.now,
            self.target,
            self.law[3],
            self.substeps,
            self.law[2],
            data.qpos[-3:],
            data.qvel[-3:],
            data.qfrc_applied[-3:],
        )
        data.qpos[-3:] -= self.start[-1]
        self._step(self.model, data, self.substeps)
        self.now[:] = self.target
        return -data.efc_force[:3]

    def nodes(self) -> Array:
        """Joints from base to tip [m], (n + 1, 3)."""
        self._mujoco.mj_kinematics(self.model, self.data)
        return np.vstack((self.data.xpos[1 : self.count + 1], self.data.site_xpos[:1]))


def _xml(scene: Scene, nodes: Array, setting: ChainSetting) -> str:
    count = len(nodes) - 1
    mass = scene.linear_density * scene.length / count
    step = scene.chunk / round(scene.chunk / setting.step)
    links, previous, offset = [], np.array([1.0, 0.0, 0.0, 0.0]), 0.0
    for chord in np.diff(nodes, axis=0):
        length = float(np.linalg.norm(chord))
        turn = _turn_x_to(chord / length)
        links.append(
            f'<body pos="{offset:.17g} 0 0" quat="{text(_relative(previous, turn))}"><joint type="ball"/>'
            f'<geom type="capsule" fromto="0 0 0 {length:.17g} 0 0" size="{0.5 * scene.diameter}"'
            f' mass="{mass:.17g}" contype="1" conaffinity="0"/>'
        )
        previous, offset = turn, length
    slides = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
    return f"""<mujoco>
<option timestep="{step:.17g}" integrator="{setting.integrator}" solver="{setting.solver}"
 iterations="{setting.iterations}" gravity="0 0 {-scene.gravity}"><flag autoreset="disable"/></option>
<worldbody>
<geom type="plane" size="50 50 1" pos="0 0 {scene.ground_height}" contype="0" conaffinity="1"/>
{"".join(links)}<site name="tip" pos="{offset:.17g} 0 0"/>{"</body>" * count}
<body pos="{text(nodes[-1])}"><inertial pos="0 0 0" mass="{HOLDER_MASS}" diaginertia="1 1 1"/>{slides}
<site name="hook"/></body>
</worldbody>
<equality><connect site1="tip" site2="hook" solref="{2.0 * step} 1" solimp="0.999 0.999 0.001"/></equality>
</mujoco>"""


def _turn_x_to(direction: Array) -> Array:
    """The shortest turn of the x axis to a unit vector that is not its opposite, wxyz, (4,)."""
    q = np.array([1.0 + direction[0], 0.0, -direction[2], direction[1]])
    return q / np.linalg.norm(q)


def _relative(a: Array, b: Array) -> Array:
    """conj(a) b, wxyz, (4,)."""
    w = a[0] * b[0] + a[1:] @ b[1:]
    return np.concatenate(([w], a[0] * b[1:] - b[0] * a[1:] - np.cross(a[1:], b[1:])))


@njit(cache=True)
def _links_drag(center, frame, spatial_velocity, root_com, applied, previous, law):
    """Drag at the centres of the links, bodies 1 to n; `cvel` is about the centre of mass of the tree."""
    chord, velocity, drag = np.empty(3), np.empty(3), np.empty(3)
    for i in range(previous.shape[0]):
        body = i + 1
        w = spatial_velocity[body, :3]
        r = center[body] - root_com[1]
        for k in range(3):
            chord[k] = frame[body, 3 * k + 2]  # a capsule's inertial frame has the axis as z
            p, q = (k + 1) % 3, (k + 2) % 3
            velocity[k] = spatial_velocity[body, 3 + k] + w[p] * r[q] - w[q] * r[p]
        element_drag(chord, velocity, law[0], law[1], drag)
        for k in range(3):
            applied[body, k] = drag[k] + law[4] * (drag[k] - previous[i, k])
            previous[i, k] = drag[k]


def ladder(element_length: float) -> list[ChainSetting]:
    """The longest step that bears the whole run comes first."""
    return [ChainSetting(0.01 / n) for n in (3, 4, 5, 10)]


def _build(scene: Scene, element_count: int, setting: ChainSetting) -> Engine:
    return Chain(scene, element_count, setting)


CHAIN = EngineKind("mujoco-chain", ladder, _build)
