"""What the folder of a run tells about its tether and its drone."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.columns import POSITION
from tetherlab.contracts.csv_files import read_csv
from tetherlab.contracts.documents import read_yaml
from tetherlab.contracts.table import Table
from tetherlab.math.rotation import matrix_from_quaternion

Array = NDArray[np.float64]
# Of `Sensing` -> of a scenario.
SETTINGS = {
    "linear_density": "tether.linear_density_kg_per_m",
    "gravity": "world.gravity_m_per_s2",
    "drone_mass": "uav.robot.mass_kg",
}


def settings_of_run(folder: Path) -> dict[str, float]:
    """What an estimator should know, by the scenario of the run."""
    scenario = _scenario(folder)
    found = {name: _value(scenario, key) for name, key in SETTINGS.items()}
    return {name: float(value) for name, value in found.items() if isinstance(value, (int, float))}


def truth_of_run(folder: Path, times: Array) -> Array:
    """Where the tether was tied to the drone at some times [s], (n, 3) [m]; NaN where nothing is recorded."""
    path = folder / "uav.csv"
    if not path.exists():
        return np.full((len(times), 3), np.nan)
    uav = read_csv(path)
    tied = _tied(uav, _value(_scenario(folder), "uav.robot.attachment_m"))
    recorded = [np.interp(times, uav["time_s"], axis, left=np.nan, right=np.nan) for axis in tied.T]
    return np.column_stack(recorded)


def _tied(uav: Table, attachment: Any) -> Array:
    """The drone's position and, if it is known where in its frame, that of the tether's end, (n, 3) [m]."""
    position = uav.rows(*POSITION)
    if not isinstance(attachment, list):
        return position
    quaternions = uav.rows("qw", "qx", "qy", "qz")
    offset = np.array(attachment, float)
    return position + np.array([matrix_from_quaternion(q) @ offset for q in quaternions])


def _scenario(folder: Path) -> Any:
    path = folder / "scenario.yaml"
    return read_yaml(path) if path.exists() else {}


def _value(scenario: Any, key: str) -> Any:
    for part in key.split("."):
        scenario = scenario.get(part) if isinstance(scenario, dict) else None
    return scenario
