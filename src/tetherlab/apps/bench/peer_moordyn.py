"""MoorDyn: the lumped-mass mooring line code, with air for water."""

import math
import os
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tetherlab.apps.bench.engine import Engine, EngineKind
from tetherlab.apps.bench.scene import Array, Scene
from tetherlab.contracts.extras import require

# Drag acts under the water's surface at z = 0, so the scene is sunk.
SUNK = np.array([0.0, 0.0, -100.0])
# Buoyancy grows with the square of the diameter, drag with its first power: a tenth of the diameter with ten
# times the coefficient has the same drag and no buoyancy worth naming.
THINNER = 0.1
CALLS = 4  # per chunk
_T = np.linspace(0.0, 1.0, CALLS + 1)[:, None]
# Weights of the position before and after, and of chunk * velocity before and after, (CALLS + 1, 4).
HERMITE = np.hstack(
    ((1 + 2 * _T) * (1 - _T) ** 2, _T**2 * (3 - 2 * _T), _T * (1 - _T) ** 2, -(_T**2) * (1 - _T))
)


@dataclass(frozen=True)
class MoorDynSetting:
    """One way to run it; schemes that iterate carry their number of iterations in the name."""

    scheme: str
    step: float  # [s]

    def __str__(self) -> str:
        return f"{self.scheme}, {1e3 * self.step:.3g} ms"


class MoorDyn:
    """The scene in MoorDyn: one line between a fixed and a coupled point."""

    pull_is_mean = False

    def __init__(self, scene: Scene, element_count: int, setting: MoorDynSetting):
        require("peers")
        import moordyn

        self._moordyn = moordyn
        self._step = moordyn.Step
        self.scene = scene
        self.count = element_count
        self.half_mass = 0.5 * scene.linear_density * scene.length / element_count
        self.start = scene.hanging_nodes(element_count)
        self._folder = tempfile.TemporaryDirectory(prefix="tetherlab-moordyn-")
        folder = Path(self._folder.name)
        (folder / "line.txt").write_text(_input(scene, element_count, setting))
        with _quiet():
            self.system = moordyn.Create(str(folder / "line.txt"))
            moordyn.SetVerbosity(self.system, moordyn.LEVEL_NONE)
            moordyn.Init(self.system, list(SUNK + scene.end), [0.0, 0.0, 0.0])
        weakref.finalize(self, moordyn.Close, self.system)
        self.line = moordyn.GetLine(self.system, 1)
        # Its own start is close to the hanging shape; the free nodes stand at the end of a saved state, so
        # the exact ones can be put in their place.
        moordyn.SaveState(self.system, str(folder / "own.state"))
        free = np.zeros((element_count - 1, 6))
        free[:, :3] = SUNK + self.start[1:-1]
        own = (folder / "own.state").read_bytes()
        self._start_file = folder / "start.state"
        self._start_file.write_bytes(own[: -free.nbytes] + free.tobytes())
        self.reset()

    def reset(self) -> None:
        """Back to the hanging shape, at rest."""
        self._moordyn.LoadState(self.system, str(self._start_file))
        self.time = 0.0
        self.position, self.velocity = SUNK + self.scene.end, np.zeros(3)

    def advance(self, position: Array, velocity: Array) -> Array:
        """One chunk on; the force of the tether on the holder [N], (3,)."""
        chunk = self.scene.chunk
        # Within a call MoorDyn moves the point on a straight line, and its damping feels every kink; a few
        # calls on the cubic through the given positions and velocities make the kinks small and cost little.
        points = HERMITE @ [self.position, SUNK + position, chunk * self.velocity, chunk * velocity]
        speeds = np.diff(points, axis=0) * (CALLS / chunk)
        for point, speed in zip(points[:-1].tolist(), speeds.tolist(), strict=True):
            force = self._step(self.system, point, speed, self.time, chunk / CALLS)
            self.time += chunk / CALLS
        pull = np.array(force) - self.half_mass * (velocity - self.velocity) / chunk
        self.position, self.velocity = points[-1], velocity
        return pull

    def nodes(self) -> Array:
        """Nodes from base to end [m], (n + 1, 3)."""
        if self.time == 0.0:
            return self.start.copy()  # MoorDyn shows a loaded state only after the first step
        get = self._moordyn.GetLineNodePos
        return np.array([get(self.line, i) for i in range(self.count + 1)]) - SUNK


@contextmanager
def _quiet() -> Iterator[None]:
    """MoorDyn greets on the C side of stdout before it can be told not to."""
    saved, null = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 1)
        yield
    finally:
        os.dup2(saved, 1)
        os.close(saved)
        os.close(null)


def _input(scene: Scene, element_count: int, setting: MoorDynSetting) -> str:
    diameter = THINNER * scene.diameter
    across = scene.drag_normal / THINNER
    along = scene.drag_tangential / THINNER / np.pi  # MoorDyn refers it to the surface pi d l
    stiffness, damping = scene.axial_stiffness, scene.axial_damping
    base, end = SUNK + scene.base, SUNK + scene.end
    return f"""--- MoorDyn input file ---
tether in air
---------------------- LINE TYPES ----------------------
TypeName Diam Mass/m EA BA/-zeta EI Cd Ca CdAx CaAx
(name) (m) (kg/m) (N) (N-s/-) (N-m^2) (-) (-) (-) (-)
tether {diameter} {scene.linear_density} {stiffness} {damping} 0 {across} 0 {along:.12g} 0
---------------------- POINTS ----------------------
ID Attachment X Y Z Mass Volume CdA Ca
(#) (word) (m) (m) (m) (kg) (m^3) (m^2) (-)
1 Fixed {base[0]:.12g} {base[1]:.12g} {base[2]:.12g} 0 0 0 0
2 Coupled {end[0]:.12g} {end[1]:.12g} {end[2]:.12g} 0 0 0 0
---------------------- LINES ----------------------
ID LineType AttachA AttachB UnstrLen NumSegs LineOutputs
(#) (name) (#) (#) (m) (-) (-)
1 tether 1 2 {scene.length} {element_count} -
---------------------- OPTIONS ----------------------
{setting.scheme} tScheme
{setting.step:.12g} dtM
{scene.gravity} g
{scene.air_density} rho
{-(SUNK[2] + scene.ground_height):.12g} WtrDpth
0 TmaxIC
0 writeLog
1 disableOutput
1 disableOutTime
---------------------- need this line ----------------------
"""


def ladder(element_length: float) -> list[MoorDynSetting]:
    """All its schemes are explicit in the damping, so their steps shrink with the square of the element.

    Plain Euler is the fastest on long elements, the iterated constant-acceleration scheme on short ones.
    """
    shrink = (element_length / 0.2) ** 2
    iterated = min(1.25e-3, 1.5e-3 * shrink)
    rungs = [("ACA10", iterated), ("ACA10", 0.7 * iterated), ("ACA10", 0.4 * iterated)]
    if element_length > 0.12:
        rungs.insert(0, ("Euler", 1.35e-4 * shrink))
    call = 0.01 / CALLS
    return [MoorDynSetting(scheme, call / math.ceil(call / limit)) for scheme, limit in rungs]


def _build(scene: Scene, element_count: int, setting: MoorDynSetting) -> Engine:
    return MoorDyn(scene, element_count, setting)


MOORDYN = EngineKind("moordyn", ladder, _build)
