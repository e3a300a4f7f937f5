"""The study of the tether-inertial paper, with what was promised of it; some fifteen minutes."""

from collections.abc import Callable

from tetherlab.studies import tether_inertial
from validation.repeated import Promise, repeat
from validation.table import Study, at_most, within

Say = Callable[[str], None]
CAPTIONS = {
    "error_map": "Mean error of the raw position over the plan, as Fig. 16 of the paper.",
    "error_distribution": "Errors of 3000 samples beside what their covariances predict, as Fig. 9.",
    "tension": "Tension on a triangle and a circle, in its band of ±1 N, as Fig. 12.",
    "methods": "Every method on the same flights.",
}
PROMISED: dict[str, Promise] = {
    "raw all 12: RMSE": lambda q, u, v, n: within(q, u, 0.073, 0.002, v, n),
    "learned all 7: RMSE": lambda q, u, v, n: at_most(q, u, 0.049, v, n),
    "learned on all 19 flights: RMSE": lambda q, u, v, n: at_most(q, u, 0.049, v, n),
    "learned ekf on all 19 flights: RMSE": lambda q, u, v, n: at_most(q, u, 0.035, v, n),
    "learned over raw, worst flight": lambda q, u, v, n: at_most(q, u, 1.05, v, n),
    "farthest from its path of all flights": lambda q, u, v, n: at_most(q, u, 0.5, v, n),
    "training, on one core": lambda q, u, v, n: at_most(q, u, 60.0, v, n),
}


def run(say: Say) -> Study:
    """Repeat the paper."""
    rows, pictures, remarks = repeat(tether_inertial, say, PROMISED.get, CAPTIONS, "localisation")
    return Study(
        title="The tether-inertial paper",
        model=(
            "`tetherlab reproduce tether_inertial`: 12 flights by the raw closed form and 7 by the learned "
            "correction, each as only position feedback. The correction was learned from 36 flights of "
            "other shapes, heights and tensions."
        ),
        truth="The simulated drone; beside it what the paper prints.",
        rows=rows,
        pictures=pictures,
        text=remarks,
    )
