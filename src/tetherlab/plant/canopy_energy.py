"""Mechanical energy of a robot in a canopy."""

import numpy as np

from tetherlab.math.kernel import plain
from tetherlab.plant.canopy_model import Canopy
from tetherlab.tether import model as M
from tetherlab.tether.readout import Energy, energy_of


def canopy_energy(canopy: Canopy) -> Energy:
    """Of robot, tether and branches [J]; `dissipated` and `work` are those of robot and tether."""
    own = energy_of(plain(M.open_model)(canopy.memory), plain(M.open_state)(canopy.memory))
    bent, rate = canopy.branch["bent"], canopy.branch["rate"]
    turning = (np.cos(bent[:, 1]) * rate[:, 0]) ** 2 + rate[:, 1] ** 2
    kinetic = 0.5 * float(canopy.branch["inertia"] @ turning)
    elastic = 0.5 * float(canopy.branch["stiffness"] @ (bent**2).sum(axis=1))
    return own._replace(kinetic=own.kinetic + kinetic, elastic=own.elastic + elastic)
