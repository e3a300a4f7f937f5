"""How a run in the canopy ended, with numbers."""

import math

from tetherlab.contracts.outcome import Outcome
from tetherlab.plant import canopy_model as C
from tetherlab.plant import canopy_watch as W
from tetherlab.plant.branch import BENT_MAX
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec


def ending(code: int, plant: C.Canopy, spec: AvocadoRobotSpec) -> tuple[Outcome, str]:
    """Outcome and its details, of a code of canopy_watch.py."""
    seen = plant.seen
    thrust = float(plant.robot["thrust"][0].sum())
    return {
        W.DIVERGED: (Outcome.DIVERGED, "the smallest step did not converge"),
        W.OVERLOAD: (
            Outcome.TETHER_OVERLOAD,
            f"{seen[C.TENSION_PEAK]:.0f} N, its strength is {plant.limits[0]:.0f} N",
        ),
        W.TURNED_OVER: (
            Outcome.TURNED_OVER,
            f"its pitch is beyond 90 deg at a thrust of {thrust:.2f} N; "
            f"it rests under at most {spec.thrust_limit:.2f} N",
        ),
        W.OVERBENT: (Outcome.BRANCH_OVERBENT, f"more than {math.degrees(BENT_MAX):.0f} deg"),
        W.ANCHOR_HIT: (
            Outcome.ANCHOR_HIT,
            f"the anchor is {1000 * seen[C.ANCHOR_DEPTH]:.0f} mm below its bark",
        ),
        W.REELED_IN: (Outcome.REELED_IN, f"{plant.spool['length'][0]:.3f} m are left"),
    }[code]
