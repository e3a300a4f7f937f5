"""The study of AVOCADO's paper, with what was promised of it; a quarter of an hour."""

from collections.abc import Callable

from tetherlab.studies import avocado
from validation.repeated import Promise, repeat
from validation.table import Study, at_least, at_most

Say = Callable[[str], None]
CAPTIONS = {
    "quasi_static": "Angles at rest over thrust for three places of the centre of mass, as Fig. 4A.",
    "swing": "A passive swing from 20.5°, as Fig. 4B.",
    "thrust_steps": "Pitch after steps of thrust, as Fig. 5B.",
    "steps": "Steps of the tether angle at four lengths, as Fig. 7A to D.",
    "space": "A run in space at 1 m, as Fig. 7E.",
    "indoor": "Over a branch and through a hoop, down and up, three tests each, as Fig. 9.",
    "outdoor": "Down round three branches in wind, three tests each, as Fig. 10.",
    "branch": "The tether meets a branch, as Fig. 8D and E.",
    "release": "A branch is let go under the paper's controller, four successful attempts each, as Fig. 8F.",
}


def promise(name: str) -> Promise | None:
    """What a row must reach, if anything."""
    if name.startswith("paper's controller, ") and "settling" in name:
        return lambda q, u, v, n: at_most(q, u, 4.0, v, n)
    if name.startswith("paper's controller, ") and "overshoot" in name:
        return lambda q, u, v, n: at_most(q, u, 5.0, v, n)
    if name.startswith("indoor") and "paper's controller" in name and name.endswith("E_a"):
        limit = {"theta": 2.9, "heading": 11.8, "length": 0.010}[name.split(": ")[1].split()[0]]
        return lambda q, u, v, n: at_most(q, u, limit, v, n)
    if name.startswith("release") and "0.5 m free, model-based" in name and "success" in name:
        return lambda q, u, v, n: at_least(q, u, 90.0, v, n)
    return None


def run(say: Say) -> Study:
    """Repeat the paper."""
    rows, pictures, remarks = repeat(avocado, say, promise, CAPTIONS, "avocado")
    return Study(
        title="The AVOCADO paper",
        model=(
            "`tetherlab reproduce avocado`: rest, swing, thrust steps, steps and the run in space on "
            "the analytic model; branches and courses in the plant, by the robot's own sensors and estimator."
        ),
        truth="The simulated robot; beside it what the paper prints.",
        rows=rows,
        pictures=pictures,
        text=remarks,
    )
