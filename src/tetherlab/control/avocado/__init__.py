"""Controllers of AVOCADO: the paper's, and one that knows the model.

Theory: docs/theory/avocado_control.md.
"""

from tetherlab.control.avocado.heading import HeadingLaw
from tetherlab.control.avocado.length import LengthLaw
from tetherlab.control.avocado.model_based import ModelController
from tetherlab.control.avocado.motors import MotorPair
from tetherlab.control.avocado.paper import PaperController
from tetherlab.control.avocado.planar import PlacedGains, PlanarGains
from tetherlab.control.avocado.references import Reference, References, hold, steps
from tetherlab.control.avocado.schedule import Weights
from tetherlab.control.avocado.workspace import Workspace, overturning_step, workspace

__all__ = [
    "HeadingLaw",
    "LengthLaw",
    "ModelController",
    "MotorPair",
    "PaperController",
    "PlacedGains",
    "PlanarGains",
    "Reference",
    "References",
    "Weights",
    "Workspace",
    "hold",
    "overturning_step",
    "steps",
    "workspace",
]
