"""Where the robot of a canopy is, in the paper's words."""

from tetherlab.math.kernel import kernel
from tetherlab.plant import canopy_model as C
from tetherlab.plant.canopy_step import robot_body
from tetherlab.plant.hanging_state import tell_state
from tetherlab.tether import model as M


@kernel
def find_truth(plant):
    """Fill plant.truth with the state now."""
    free, v = plant.free, M.open_state(plant.memory).v[0]
    tell_state(
        robot_body(plant), free[6:9], free[9:12], free[C.FREE_LENGTH], free[C.FREE_RATE], v,
        plant.spool[0].length, plant.truth, plant.scratch[0],
    )  # fmt: skip
