"""The tether in motion: a moving end, modes of a hanging chain, energy, jerks, and bodies in the solve."""

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import j0, jn_zeros

import tetherlab as tl
from tetherlab.apps.bench.measure import measure_errors
from tetherlab.apps.bench.ours import Ours, OurSetting
from tetherlab.apps.bench.reference import reference
from tetherlab.apps.bench.scene import Scene
from validation.figure import COLOURS, drawing
from validation.table import Picture, Row, Study, at_least, at_most, reported

GRAVITY = 9.80665  # [m/s^2]
LENGTH = 12.0  # [m]
LINEAR_DENSITY = 0.0667  # [kg/m]
STEP = 0.005  # the default [s]


def run(say: Callable[[str], None]) -> Study:
    """All of it, shortest first."""
    study = Study(
        title="Dynamics",
        model=(
            "Tether of 12 m and 0.0667 kg/m. *Moving end*: EA = 10 kN, 20 % slack, one end flies sines of"
            " up to 1 m and 2 m/s for 8 s, with drag. *Hanging chain*: free lower end, no drag. *Jerk*: a"
            " body of 2 kg that moves at 4 m/s when the tether gets straight, EA = 100 kN, c = 10 N s; "
            "tension is the mean over 1 ms, as a force sensor would give it. *Bodies*: rigid, tied 5 cm "
            "off their centre of mass, released at 20°, no damping at all."
        ),
        truth=(
            "*Moving end*: a NumPy right-hand side in SciPy's LSODA with 160 and 320 elements, "
            "extrapolated (`tetherlab.apps.bench.reference`). *Hanging chain*: Bessel's ω = j₀₁/2 √(g/L)."
            " *Energy*: its conservation. *Jerk and bodies*: the same scene at a fraction of the step."
        ),
    )
    study.rows += moving_end(say)
    study.rows += hanging_chain(say)
    study.rows.append(swing_energy(say))
    study.rows += jerk(say)
    study.rows += bodies(say)
    study.pictures.append(Picture("validation_jerk.svg", "Tension when a body of 2 kg goes taut at 4 m/s"))
    return study


def moving_end(say: Callable[[str], None]) -> list[Row]:
    """Mean distance of 41 stations over the run."""
    scene = Scene(LENGTH)
    rows = []
    for element in (0.05, 0.10, 0.20):
        say(f"moving end, elements of {element:g} m")
        engine = Ours(scene, scene.element_count(element), OurSetting(STEP))
        errors = measure_errors(engine, scene, reference(scene))
        rows.append(
            at_most(
                f"moving end: mean error, elements {element:.2f} m",
                "% of length",
                0.1,
                errors.shape,
                f"tension rms error {errors.tension:.3f} N",
            )
        )
    return rows


def _material(**changes: float) -> tl.TetherSpec:
    values = {
        "linear_density": LINEAR_DENSITY,
        "diameter": 0.008,
        "axial_stiffness": 1e5,
        "axial_damping": 0.0,
        "drag_coefficient": 0.0,
        "drag_coefficient_tangential": 0.0,
    }
    return tl.TetherSpec(**{**values, **changes})


def _mode_shape(tip_angle: float) -> np.ndarray:
    """The first mode of a hanging chain of true length whose tip slope is `tip_angle`, (n, 3)."""
    from_tip = np.linspace(LENGTH, 0.0, 4001)
    shape = j0(jn_zeros(0, 1)[0] * np.sqrt(from_tip / LENGTH))
    amplitude = math.tan(tip_angle) * LENGTH  # about the angle of the line from the base to the tip
    x = amplitude * shape
    z = -np.concatenate([[0.0], np.cumsum(np.sqrt(np.diff(from_tip) ** 2 - np.diff(x) ** 2))])
    return np.stack([x, 0.0 * x, z], axis=1)


def _first_mode(element: float, angle: float, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """Time and the part of the motion that lies in the first mode."""
    shape = _mode_shape(angle)
    tether = tl.Tether(
        _material(axial_damping=10.0),
        base=shape[0],
        end=shape[-1],
        length=LENGTH,
        element_length=element,
        shape=shape,
    )
    tether.release("end")
    count = len(tether.nodes)
    weight = j0(jn_zeros(0, 1)[0] * np.sqrt(np.linspace(1.0, 0.0, count)))
    weight[[0, -1]] *= 0.5
    time, part = [0.0], [weight @ tether.nodes[:, 0]]
    for _ in range(round(duration / 0.02)):
        tether.step(0.02)
        time.append(tether.time)
        part.append(weight @ tether.nodes[:, 0])
    return np.array(time), np.array(part)


def _fit(time: np.ndarray, signal: np.ndarray, omega: float) -> tuple[float, float]:
    """Amplitude and squared misfit of the sine of this frequency."""
    waves = np.stack([np.cos(omega * time), np.sin(omega * time)], axis=1)
    solution, _, _, _ = np.linalg.lstsq(waves, signal, rcond=None)
    return float(np.hypot(*solution)), float(((signal - waves @ solution) ** 2).sum())


def _frequency(time: np.ndarray, signal: np.ndarray, near: float) -> float:
    """Frequency of the sine that fits best [rad/s]."""
    bounds = (0.98 * near, 1.02 * near)
    best = minimize_scalar(
        lambda w: _fit(time, signal, w)[1], bounds=bounds, method="bounded", options={"xatol": 1e-9}
    )
    return float(best.x)


def hanging_chain(say: Callable[[str], None]) -> list[Row]:
    """Frequency of the first mode at a small amplitude, and what is left of a 5° swing after 40 s."""
    truth = 0.5 * jn_zeros(0, 1)[0] * math.sqrt(GRAVITY / LENGTH)
    rows = []
    for element in (0.10, 0.20):
        say(f"hanging chain, elements of {element:g} m")
        time, part = _first_mode(element, math.radians(0.2), 40.0)
        error = 100.0 * (_frequency(time, part, truth) / truth - 1.0)
        name = f"hanging chain: frequency of the first mode, elements {element:.2f} m"
        rows.append(at_most(name, "% off", 0.05, error, f"truth {truth:.4f} rad/s, swing of 0.2°"))
    time, part = _first_mode(0.10, math.radians(5.0), 40.0 + 5.8)
    omega = _frequency(time, part, truth)
    early, late = time < 5.8, time >= 40.0
    left = 100.0 * _fit(time[late], part[late], omega)[0] / _fit(time[early], part[early], omega)[0]
    rows.append(
        at_least("hanging chain: amplitude left after 40 s", "%", 99.5, left, "5°, no drag, c = 10 N s")
    )
    return rows


def swing_energy(say: Callable[[str], None]) -> Row:
    """A straight tether released at 20°."""
    say("energy of a swing")
    tilt = math.radians(20.0)
    tether = tl.Tether(
        _material(),
        base=(0.0, 0.0, 0.0),
        end=LENGTH * np.array([math.sin(tilt), 0.0, -math.cos(tilt)]),
        length=LENGTH,
    )
    tether.release("end")
    start = tether.energy.total
    worst = 0.0
    for _ in range(1000):
        tether.step(0.01)
        worst = max(worst, abs(tether.energy.total - start))
    swing = 0.5 * LINEAR_DENSITY * LENGTH**2 * GRAVITY * (1.0 - math.cos(tilt))
    note = f"swing energy {swing:.2f} J, c = 0"
    return at_most(
        "energy of an undamped 20° swing: largest drift in 10 s", "%", 0.1, 100.0 * worst / swing, note
    )


def _jerk_run(step: float, element: float, call: float = 0.001, duration: float = 0.15) -> np.ndarray:
    """Tension at base and end, mean over each call [N], (n, 2), from the moment the body is let go."""
    tether = tl.Tether(
        _material(axial_damping=10.0),
        base=(0.0, 0.0, 0.0),
        end=(0.3, 0.0, -LENGTH + 0.1),
        length=LENGTH,
        element_length=element,
        step_max=step,
    )
    velocity = np.array([0.0, 0.0, -4.0])
    for _ in range(2):
        tether.step(0.005, end=tether.nodes[-1] + 0.005 * velocity, end_velocity=velocity)
    tether.attach("end", tl.PointMass(2.0))
    pulls = []
    for _ in range(round(duration / call)):
        forces = tether.step(call)
        pulls.append((np.linalg.norm(forces.on_base), np.linalg.norm(forces.on_end)))
    return np.array(pulls)


def jerk(say: Callable[[str], None]) -> list[Row]:
    """The peak at both ends against a run with a step of 10 µs, and against finer elements too."""
    say("jerk, default step")
    ours = _jerk_run(STEP, 0.10)
    say("jerk, 10 µs")
    converged = _jerk_run(1e-5, 0.10)
    say("jerk, 10 µs, elements of 0.025 m")
    finer = _jerk_run(1e-5, 0.025)
    slow = _jerk_run(STEP, 0.10, call=0.005), _jerk_run(1e-5, 0.10, call=0.005)
    rows = []
    for column, place in enumerate(("base", "body")):
        peak, truth, fine = (run[:, column].max() for run in (ours, converged, finer))
        off = 100.0 * (peak / truth - 1.0)
        rows.append(
            at_most(
                f"jerk: peak tension at the {place} against a step of 10 µs",
                "% off",
                2.0,
                off,
                f"{peak:.0f} N",
            )
        )
        off = 100.0 * (peak / fine - 1.0)
        rows.append(reported("jerk: the same against 10 µs and elements of 0.025 m", "% off", off, place))
        a, b = (run[:, column].max() for run in slow)
        rows.append(
            at_most(
                f"jerk: called every 5 ms, mean over 5 ms, {place}",
                "% off",
                2.0,
                100.0 * (a / b - 1.0),
                f"{a:.0f} N",
            )
        )
    with drawing("validation_jerk.svg", columns=2, height=3.0) as axes:
        for column, (axis, place) in enumerate(zip(axes, ("base", "body"), strict=True)):
            time = 1e3 * 0.001 * (np.arange(len(ours)) + 0.5)
            axis.plot(
                time,
                finer[:, column],
                color=COLOURS[4],
                label="10 µs, elements 0.025 m",
                linewidth=3,
                alpha=0.6,
            )
            axis.plot(time, converged[:, column], color=COLOURS[6], label="10 µs")
            axis.plot(time, ours[:, column], color=COLOURS[1], label="default", linestyle="--")
            axis.set_xlabel("time [ms]")
            axis.set_title(f"at the {place}")
        axes[0].set_ylabel("tension, mean over 1 ms [N]")
        axes[1].legend(fontsize=8, loc="upper right")
    return rows


def _swinging_body(mass: float, tether_mass: float, step: float) -> tuple[tl.Tether, float]:
    """A rigid body on a tether released at 20°: the tether after 10 s, and its largest energy drift [J]."""
    tilt = math.radians(20.0)
    direction = np.array([math.sin(tilt), 0.0, -math.cos(tilt)])
    moment = mass * 0.1**2
    body = tl.RigidBody(
        mass=mass, inertia=(moment, moment, 1.5 * moment), attachment=(0.0, 0.0, 0.05), radius=0.0
    )
    tether = tl.Tether(
        _material(linear_density=tether_mass / LENGTH, axial_stiffness=1e4),
        base=(0.0, 0.0, 0.0),
        end=LENGTH * direction,
        length=LENGTH,
        end_body=body,
        step_max=step,
    )
    start, worst = tether.energy.total, 0.0
    for _ in range(1000):
        tether.step(0.01)
        worst = max(worst, abs(tether.energy.total - start))
    return tether, worst


def bodies(say: Callable[[str], None]) -> list[Row]:
    """Bodies far lighter and far heavier than their tether."""
    rows = []
    for mass, tether_mass in ((0.2, 2.0), (0.74, 2e-4)):
        name = f"{mass:g} kg body on a {_mass(tether_mass)} tether"
        say(name)
        tether, drift = _swinging_body(mass, tether_mass, STEP)
        fine, _ = _swinging_body(mass, tether_mass, STEP / 10.0)
        swing = GRAVITY * LENGTH * (1.0 - math.cos(math.radians(20.0))) * (mass + 0.5 * tether_mass)
        apart = np.linalg.norm(tether.end_body["position"] - fine.end_body["position"])
        rows += [
            at_most(f"{name}: energy drift in 10 s", "% of swing", 0.1, 100.0 * drift / swing, "c = 0"),
            at_most(
                f"{name}: place after 10 s against a tenth of the step",
                "% of length",
                0.1,
                100.0 * apart / LENGTH,
            ),
        ]
    return rows


def _mass(mass: float) -> str:
    return f"{mass:g} kg" if mass >= 0.01 else f"{1e3 * mass:g} g"
