"""What the folder of a run tells about its tether and its drone."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
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
    "angle_bias": "localisation.sensors.base_angles.bias_field_rad",
    "friction": "localisation.sensors.base_angles.friction_N",
}
# Of `SensorNoise` -> of its sensors.
NOISE = {
    "azimuth": "base_angles.azimuth_noise_rad",
    "elevation_base": "base_angles.elevation_noise_rad",
    "azimuth_end": "drone_angles.azimuth_noise_rad",
    "elevation_end": "drone_angles.elevation_noise_rad",
    "length": "length.noise_m",
    "tension": "tension.noise_N",
    "specific_force": "imu.force_noise_m_per_s2",
    "angular_velocity": "imu.rate_noise_rad_per_s",
    "thrust": "imu.thrust_noise_N",
}


def settings_of_run(folder: Path) -> dict[str, float]:
    """What an estimator should know, by the scenario of the run."""
    return _numbers(_scenario(folder), SETTINGS)


def noise_of_run(folder: Path) -> dict[str, float]:
    """Standard deviations of the sensors that flew, by the names of `SensorNoise`; nothing if none did."""
    return _numbers(_value(_scenario(folder), "localisation.sensors"), NOISE)


def attachment_of_run(folder: Path) -> tuple[float, float, float] | None:
    """Where the tether is tied in the drone's frame [m], if the scenario says it."""
    found = _value(_scenario(folder), "uav.robot.attachment_m")
    return tuple(check.vector("uav.robot.attachment_m", found).tolist()) if found is not None else None


def truth_of_run(folder: Path, times: Array) -> Array:
    """Where the tether was tied to the drone at some times [s], (n, 3) [m]; NaN where nothing is recorded."""
    path = folder / "uav.csv"
    if not path.exists():
        return np.full((len(times), 3), np.nan)
    uav = read_csv(path)
    tied = _tied(uav, attachment_of_run(folder))
    recorded = [np.interp(times, uav["time_s"], axis, left=np.nan, right=np.nan) for axis in tied.T]
    return np.column_stack(recorded)


def _tied(uav: Table, attachment: tuple[float, float, float] | None) -> Array:
    """The drone's position and, if it is known where in its frame, that of the tether's end, (n, 3) [m]."""
    position = uav.rows(*POSITION)
    if attachment is None:
        return position
    quaternions = uav.rows("qw", "qx", "qy", "qz")
    offset = np.array(attachment)
    return position + np.array([matrix_from_quaternion(q) @ offset for q in quaternions])


def _scenario(folder: Path) -> Any:
    path = folder / "scenario.yaml"
    return read_yaml(path) if path.exists() else {}


def _numbers(scenario: Any, keys: Mapping[str, str]) -> dict[str, float]:
    """Those of the values that are there."""
    found = {name: _value(scenario, key) for name, key in keys.items()}
    return {name: float(value) for name, value in found.items() if isinstance(value, (int, float))}


def _value(scenario: Any, key: str) -> Any:
    for part in key.split("."):
        scenario = scenario.get(part) if isinstance(scenario, dict) else None
    return scenario
