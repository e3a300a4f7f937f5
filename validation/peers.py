"""Other engines on the same scene: the rows of `tetherlab bench tether`, about ten minutes."""

from collections.abc import Callable

from tetherlab.apps.bench import run_tether_bench
from tetherlab.apps.bench.table import markdown
from validation.table import Study, at_least

WANTED = {"mujoco-chain": 150.0, "moordyn": 20.0}  # our speed over theirs
WANTED_FLEX, WANTED_FLEX_FINE = 2.0, 5.0  # at elements of 0.10 m and more, and at 0.05 m


def run(say: Callable[[str], None]) -> Study:
    """Both lengths with four element lengths."""
    rows = run_tether_bench(repeats=3, progress=say)
    study = Study(
        title="Peers",
        model=(
            "Tethers of 12 m and 18.45 m with one end that moves, called every 10 ms, in each engine with "
            "the fastest setting (time step, integrator, solver) whose error of shape is at most 0.1 % of "
            "the length; ours besides with one no larger than that of MuJoCo's flex. What limits ours at "
            "long elements is the call from Python."
        ),
        truth="The reference of the dynamics study; speeds in turn within one process, one thread, CPU time.",
        text=markdown(rows),
    )
    for row in rows:
        if row.ratio is None or row.engine == "tetherlab":
            continue
        wanted = WANTED.get(row.engine, WANTED_FLEX if row.element_m > 0.075 else WANTED_FLEX_FINE)
        ours = next(
            other
            for other in rows
            if other.engine == "tetherlab"
            and (other.length_m, other.element_m) == (row.length_m, row.element_m)
        )
        note = f"errors {ours.shape_error_percent:.3f} % here, {row.shape_error_percent:.3f} % there"
        name = f"{row.length_m:g} m, elements {row.element_m:.2f} m: speed over {row.engine}"
        study.rows.append(at_least(name, "×", wanted, row.ratio, note))
    return study
