"""tetherlab: simulate, localise, control, plan and evaluate robots on a tether."""

from tetherlab.contracts.bodies import PointMass, RigidBody
from tetherlab.contracts.errors import InputError, SimulationError
from tetherlab.scenario.scenario import Scenario
from tetherlab.tether.batch import TetherBatch
from tetherlab.tether.catenary import Catenary
from tetherlab.tether.catenary_elastic import ElasticCatenary
from tetherlab.tether.catenary_grounded import GroundedCatenary
from tetherlab.tether.spec import TetherSpec
from tetherlab.tether.tether import Tether
from tetherlab.world import Wind, World, shapes

__all__ = [
    "Catenary",
    "ElasticCatenary",
    "GroundedCatenary",
    "InputError",
    "PointMass",
    "RigidBody",
    "Scenario",
    "SimulationError",
    "Tether",
    "TetherBatch",
    "TetherSpec",
    "Wind",
    "World",
    "shapes",
]
__version__ = "0.1.0.dev0"
