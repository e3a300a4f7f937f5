"""tetherlab: simulate, localise, control, plan and evaluate robots on a tether."""

import tetherlab.math.cache  # noqa: F401 (before anything is compiled: from here on, a changed source is noticed)  # isort: split
from tetherlab import estimation, planning
from tetherlab.contracts.bodies import PointMass, RigidBody
from tetherlab.contracts.errors import InputError, SimulationError
from tetherlab.contracts.log import Log
from tetherlab.contracts.messages import UavCommand, UgvCommand, WinchCommand
from tetherlab.contracts.outcome import Outcome
from tetherlab.contracts.table import Table
from tetherlab.contracts.version import VERSION
from tetherlab.scenario.canopy import CanopyScenario
from tetherlab.scenario.canopy_simulation import CanopySimulation
from tetherlab.scenario.runs import run
from tetherlab.scenario.scenario import Scenario
from tetherlab.scenario.simulation import Simulation
from tetherlab.tether.batch import TetherBatch
from tetherlab.tether.catenary import Catenary
from tetherlab.tether.catenary_elastic import ElasticCatenary
from tetherlab.tether.catenary_grounded import GroundedCatenary
from tetherlab.tether.spec import TetherSpec
from tetherlab.tether.tether import Tether
from tetherlab.world import Mine, Spall, Wind, World, shapes

__all__ = [
    "CanopyScenario",
    "CanopySimulation",
    "Catenary",
    "ElasticCatenary",
    "GroundedCatenary",
    "InputError",
    "Log",
    "Mine",
    "Outcome",
    "PointMass",
    "RigidBody",
    "Scenario",
    "Simulation",
    "SimulationError",
    "Spall",
    "Table",
    "Tether",
    "TetherBatch",
    "TetherSpec",
    "UavCommand",
    "UgvCommand",
    "WinchCommand",
    "Wind",
    "World",
    "estimation",
    "planning",
    "run",
    "shapes",
]
__version__ = VERSION
