"""The physics of one body each: what its motors, wheels and drums do. Vehicles do not know tethers."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """`tl.vehicles.avocado`, imported when it is first asked for."""
    if name == "avocado":
        return import_module("tetherlab.vehicles.avocado")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
