"""tetherlab: simulate, localise, control, plan and evaluate robots on a tether."""

from tetherlab.contracts.errors import InputError

__all__ = ["InputError"]
__version__ = "0.1.0.dev0"
