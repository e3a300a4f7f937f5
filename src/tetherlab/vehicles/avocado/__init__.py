"""AVOCADO, a robot that hangs from a branch on its own tether: the analytic model of paper 001.

Theory: docs/theory/avocado.md.
"""

from tetherlab.vehicles.avocado.anchor import jerk_anchor
from tetherlab.vehicles.avocado.energy import AvocadoEnergy, energy
from tetherlab.vehicles.avocado.linearise import (
    LinearSystem,
    SmallMotions,
    lateral_system,
    planar_system,
    small_motions,
)
from tetherlab.vehicles.avocado.modes import LinearModes, linear_modes
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.avocado.simulate import simulate
from tetherlab.vehicles.avocado.spec import AvocadoSpec
from tetherlab.vehicles.avocado.state import AvocadoCommand, AvocadoState
from tetherlab.vehicles.avocado.statics import Equilibrium, equilibrium, resting, thrust_for, widest_thrust
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
    "LinearSystem",
    "SmallMotions",
    "energy",
    "equilibrium",
    "jerk_anchor",
    "lateral_system",
    "linear_modes",
    "planar_system",
    "resting",
    "simulate",
    "small_motions",
    "thrust_for",
    "widest_thrust",
]
