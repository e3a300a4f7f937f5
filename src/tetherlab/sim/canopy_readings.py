"""What is true of a robot in the canopy where its sensors look at it."""

import numpy as np

from tetherlab.plant import canopy_model as C
from tetherlab.plant.canopy_truth import NOW
from tetherlab.sensors.avocado_truth import AvocadoTruth
from tetherlab.tether import model as M

LENGTH, PHI = 1, 4  # places in a state


def true_readings(canopy: C.Canopy) -> AvocadoTruth:
    """Of the plant as it is now; positions are those from the anchor."""
    body, state = canopy.memory.body[M.BASE], canopy.truth[NOW]
    rotation = np.array(body["R_WB"])
    return AvocadoTruth(
        time=float(canopy.clock[0]),
        rotation=rotation,
        angular_velocity=np.linalg.solve(body["inertia_B"], rotation.T @ body["L_W"]),
        phi=float(state[PHI]),
        length=float(state[LENGTH]),
        tension=float(canopy.spool["tension"][0]),
        position=canopy.memory.vectors[M.POSITIONS, 0] - canopy.anchor,
    )
