"""How a run of a hoist ended, with numbers."""

from tetherlab.contracts.outcome import Outcome
from tetherlab.plant import hoist_model as H
from tetherlab.plant import hoist_watch as W


def ending(code: int, plant: H.Hoist) -> tuple[Outcome, str]:
    """Outcome and its details, of a code of hoist_watch.py."""
    seen, limits = plant.seen, plant.limits
    x, _, z = plant.body["p_W"][H.DRONE]
    return {
        W.DIVERGED: (Outcome.DIVERGED, "the smallest step did not converge"),
        W.PERCH_LOST: (
            Outcome.PERCH_LOST,
            f"{seen[H.PERCH_PEAK]:.0f} N, the drone holds {limits[H.PERCH_FORCE]:.0f} N",
        ),
        W.COLLISION_UAV: (Outcome.COLLISION, f"the drone at ({x:.2f}, {z:.2f}) m hit an obstacle"),
        W.COLLISION_TEAM: (Outcome.COLLISION, f"the drone at ({x:.2f}, {z:.2f}) m hit the rover"),
        W.OVERLOAD: (
            Outcome.TETHER_OVERLOAD,
            f"{plant.clock[1]:.0f} N, its strength is {limits[H.STRENGTH]:.0f} N",
        ),
        W.TANGLED_ROTOR: (
            Outcome.TANGLED,
            f"it is within {1000 * limits[H.ROTOR_CLOSE]:.0f} mm of a rotor",
        ),
    }[code]
