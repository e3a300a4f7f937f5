"""Many settings of each peer on the same scene, so that the bench can give every peer its best.

`tetherlab bench tether --engine mujoco-flex --tune FILE` writes what was tried; the ladders in the peers'
files were chosen from it.
"""

import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tetherlab.apps.bench.compare import ERROR_LINE, KINDS
from tetherlab.apps.bench.measure import measure_errors, measure_speed
from tetherlab.apps.bench.peer_chain import CHAIN, ChainSetting
from tetherlab.apps.bench.peer_flex import FLEX, FlexSetting
from tetherlab.apps.bench.peer_moordyn import MOORDYN, MoorDynSetting
from tetherlab.apps.bench.reference import reference
from tetherlab.apps.bench.scene import Scene
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.extras import MissingExtraError


def flex_candidates(element: float) -> list[FlexSetting]:
    """Steps from 0.1 to 10 ms, all integrators, both solvers, all kinds of edges, flags that might help."""
    chunk = 0.01
    exact = [FlexSetting(chunk / n) for n in (1, 2, 3, 4, 5, 10, 20)]
    more = [FlexSetting(chunk / n, iterations=i) for n in (2, 5) for i in (2, 20)]
    conjugate = [FlexSetting(chunk / n, solver="CG", iterations=i) for n in (2, 5) for i in (20, 200)]
    hard = [
        FlexSetting(chunk / n, integrator, "hard")
        for integrator, steps in (
            ("discrete", (1, 2, 4, 10)),
            ("implicitfast", (1, 2, 4, 5, 10, 20)),
            ("implicit", (2, 5)),
            ("Euler", (1, 2, 5, 10)),
            ("RK4", (2, 5)),
        )
        for n in steps
    ]
    hard += [FlexSetting(chunk / n, "implicitfast", "hard", "CG", 100) for n in (2, 5)]
    soft = [FlexSetting(chunk / n, "implicitfast", "default", iterations=4) for n in (2, 5, 10)]
    springs = [FlexSetting(chunk / n, i, "spring") for i in ("Euler", "implicitfast") for n in (40, 100)]
    lean = [
        FlexSetting(chunk / n, disable=flags)
        for n in (1, 2, 3, 4)
        for flags in (("island",), ("warmstart",), ("island", "warmstart"))
    ]
    return exact + more + conjugate + hard + soft + springs + lean


def moordyn_candidates(element: float) -> list[MoorDynSetting]:
    """Explicit and iterated schemes; their steps are limited by the axial damping, so they go with l^2."""
    unit = 1e-4 * (element / 0.2) ** 2
    tried = {
        "Euler": (1.0, 1.2),
        "Heun": (0.7, 1.0),
        "RK2": (1.0, 1.2),
        "RK4": (1.5, 2.0),
        "AB2": (0.3,),
        "BEuler10": (5.0, 8.0),
        "Midpoint5": (5.0, 7.0),
        "Midpoint10": (7.0, 10.0),
        "ACA5": (5.0, 7.0),
        "ACA10": (10.0, 12.0, 15.0),
        "ACA20": (20.0, 30.0),
        "Wilson10": (3.0,),
    }
    return [MoorDynSetting(scheme, unit * factor) for scheme, factors in tried.items() for factor in factors]


def chain_candidates(element: float) -> list[ChainSetting]:
    """Steps from 1 to 10 ms, integrators and solvers."""
    chunk = 0.01
    return [
        *(ChainSetting(chunk / n) for n in (1, 2, 3, 4, 5, 10)),
        *(ChainSetting(chunk / 4, solver=solver) for solver in ("CG", "Newton")),
        *(
            ChainSetting(chunk / 4, integrator)
            for integrator in ("implicitfast", "implicit", "RK4", "discrete")
        ),
        ChainSetting(chunk / 2, "discrete", "Newton"),
        ChainSetting(chunk / 4, iterations=3),
    ]


CANDIDATES: dict[str, tuple[str, Callable[[float], Sequence[Any]]]] = {
    FLEX.name: ("mujoco", flex_candidates),
    MOORDYN.name: ("moordyn", moordyn_candidates),
    CHAIN.name: ("mujoco", chain_candidates),
}


def run_tuning(
    file: str | Path,
    length: float,
    elements: Iterable[float],
    engines: Iterable[str],
    say: Callable[[str], None] = lambda message: None,
) -> dict[str, Any]:
    """Try all candidates of the peers among `engines`, fastest first in the result, and write it as JSON."""
    peers = [name for name in engines if name in CANDIDATES]
    if not peers:
        raise InputError(f"engine must name a peer to tune, one of {', '.join(CANDIDATES)}")
    scene = Scene(length)
    result: dict[str, Any] = {
        "length_m": length,
        "error_line_percent": ERROR_LINE,
        "packages": {},
        "tried": [],
    }
    for name in peers:
        package, candidates = CANDIDATES[name]
        try:
            result["packages"][package] = version(package)
        except PackageNotFoundError:
            raise InputError(f"engine {name} cannot be tuned, {package} is not installed") from None
        for element in elements:
            settings = candidates(element)
            rows = []
            for i, setting in enumerate(settings):
                say(f"{name}, element {element:g} m: {i + 1} of {len(settings)}, {setting}")
                rows.append(
                    {"engine": name, "element_m": element, **try_setting(name, scene, element, setting)}
                )
            result["tried"] += sorted(rows, key=lambda row: -(row["speed"] or 0.0))
    Path(file).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return result


def try_setting(name: str, scene: Scene, element: float, setting: Any) -> dict[str, Any]:
    """Errors and speed of one setting; None where it breaks or its engine refuses it."""
    row: dict[str, Any] = {"setting": str(setting), "shape_error_percent": None, "tension_error_N": None}
    try:
        engine = KINDS[name].build(scene, scene.element_count(element), setting)
        errors = measure_errors(engine, scene, reference(scene), budget=15.0)
        if errors.shape == float("inf"):
            return row | {"speed": None, "note": f"breaks within {errors.covered:.2f} s"}
        speeds = [measure_speed(engine, scene, budget=1.5) for _ in range(3)]
    except MissingExtraError:
        raise
    except Exception as error:  # whatever a peer raises is a result of the trial
        return row | {"speed": None, "note": f"refused: {str(error).splitlines()[0][:100]}"}
    return row | {
        "shape_error_percent": round(errors.shape, 4),
        "tension_error_N": round(errors.tension, 4),
        "speed": round(statistics.median(speeds), 3),
        "note": "" if errors.covered == scene.duration else f"errors over the first {errors.covered:.1f} s",
    }
