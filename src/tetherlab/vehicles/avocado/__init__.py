"""AVOCADO, a robot that hangs from a branch on its own tether: the analytic model of paper 001.

Theory: docs/theory/avocado.md.
"""

from tetherlab.vehicles.avocado.energy import AvocadoEnergy, energy
from tetherlab.vehicles.avocado.modes import LinearModes, linear_modes
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.avocado.simulate import simulate
from tetherlab.vehicles.avocado.spec import AvocadoSpec
from tetherlab.vehicles.avocado.state import AvocadoCommand, AvocadoState
from tetherlab.vehicles.avocado.statics import Equilibrium, equilibrium, resting
from tetherlab.vehicles.avocado.trajectory import AvocadoStatus, AvocadoTrajectory

__all__ = [
    "AvocadoCommand",
    "AvocadoEnergy",
    "AvocadoRobotSpec",
    "AvocadoSpec",
    "AvocadoState",
    "AvocadoStatus",
    "AvocadoTrajectory",
    "Equilibrium",
    "LinearModes",
    "energy",
    "equilibrium",
    "linear_modes",
    "resting",
    "simulate",
]
