"""tetherlab: simulate, localise, control, plan and evaluate robots on a tether.

Names are looked up when they are used first, so that `import tetherlab` takes no time and needs no compiler.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tetherlab.contracts.version import VERSION

if TYPE_CHECKING:  # for editors and type checkers; the same as _HOMES
    from tetherlab import estimation, planning
    from tetherlab.assembly.runs import run
    from tetherlab.assembly.scene import Scene
    from tetherlab.assembly.simulation import Simulation
    from tetherlab.contracts.bodies import PointMass, RigidBody
    from tetherlab.contracts.errors import InputError, SimulationError
    from tetherlab.contracts.log import Log
    from tetherlab.contracts.messages import UavCommand, UgvCommand, WinchCommand
    from tetherlab.contracts.outcome import Outcome
    from tetherlab.contracts.table import Table
    from tetherlab.scenario.canopy import CanopyScenario
    from tetherlab.scenario.canopy_simulation import CanopySimulation
    from tetherlab.scenario.scenario import Scenario
    from tetherlab.tether.batch import TetherBatch
    from tetherlab.tether.catenary import Catenary
    from tetherlab.tether.catenary_elastic import ElasticCatenary
    from tetherlab.tether.catenary_grounded import GroundedCatenary
    from tetherlab.tether.spec import TetherSpec
    from tetherlab.tether.tether import Tether
    from tetherlab.world import Mine, Spall, Wind, World, shapes

_HOMES = {  # public name: the module that it is in
    "CanopyScenario": "scenario.canopy",
    "CanopySimulation": "scenario.canopy_simulation",
    "Catenary": "tether.catenary",
    "ElasticCatenary": "tether.catenary_elastic",
    "GroundedCatenary": "tether.catenary_grounded",
    "InputError": "contracts.errors",
    "Log": "contracts.log",
    "Mine": "world",
    "Outcome": "contracts.outcome",
    "PointMass": "contracts.bodies",
    "RigidBody": "contracts.bodies",
    "Scenario": "scenario.scenario",
    "Scene": "assembly.scene",
    "Simulation": "assembly.simulation",
    "SimulationError": "contracts.errors",
    "Spall": "world",
    "Table": "contracts.table",
    "Tether": "tether.tether",
    "TetherBatch": "tether.batch",
    "TetherSpec": "tether.spec",
    "UavCommand": "contracts.messages",
    "UgvCommand": "contracts.messages",
    "WinchCommand": "contracts.messages",
    "Wind": "world",
    "World": "world",
    "estimation": "",
    "planning": "",
    "run": "assembly.runs",
    "shapes": "world",
}
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
    "Scene",
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


def __getattr__(name: str) -> object:
    """Find a public name in its module (PEP 562)."""
    home = _HOMES.get(name, "")
    if not home:
        if name.startswith("_") or find_spec(f"{__name__}.{name}") is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return import_module(f"{__name__}.{name}")  # a room
    value = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
