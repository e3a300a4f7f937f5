"""What the folder of a run tells about its tether and its drone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.columns import POSITION
from tetherlab.contracts.csv_files import read_csv
from tetherlab.contracts.documents import read_yaml
from tetherlab.contracts.table import Table
from tetherlab.estimation.filter import FilterSpec
from tetherlab.estimation.sensing import Sensing
from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.scenario.navigation import scenario_filter, scenario_sensing
from tetherlab.scenario.scenario import Scenario

Array = NDArray[np.float64]
# Of `Sensing` -> of a scenario; for those that are not whole, as of a real flight.
SETTINGS = {
    "linear_density": "tether.linear_density_kg_per_m",
    "gravity": "world.gravity_m_per_s2",
    "drone_mass": "uav.robot.mass_kg",
}


def sensing_of_run(folder: Path) -> tuple[Sensing, FilterSpec]:
    """What an estimator knew beforehand when it flew, by the scenario of the run; or what little it says."""
    document = _scenario(folder)
    if isinstance(document, dict) and "localisation" in document:
        scenario = Scenario.from_dict(document)
        if scenario.localisation is not None:
            chosen = scenario.localisation
            return scenario_sensing(scenario, chosen), scenario_filter(scenario, chosen)
    found = {name: _value(document, key) for name, key in SETTINGS.items()}
    numbers: dict[str, Any] = {
        name: check.number(SETTINGS[name], value) for name, value in found.items() if value is not None
    }
    attachment = attachment_of_run(folder)
    return Sensing(**numbers), FilterSpec() if attachment is None else FilterSpec(attachment=attachment)


def attachment_of_run(folder: Path) -> tuple[float, float, float] | None:
    """Where the tether is tied in the drone's frame [m], if the scenario says it."""
    found = _value(_scenario(folder), "uav.robot.attachment_m")
    return tuple(check.vector("uav.robot.attachment_m", found).tolist()) if found is not None else None


def truth_of_run(folder: Path) -> Callable[[Array], Array]:
    """A function of times [s]: where the tether was tied to the drone [m], (n, 3); NaN if not recorded."""
    path = folder / "uav.csv"
    if not path.exists():
        return lambda times: np.full((len(times), 3), np.nan)
    uav = read_csv(path)
    recorded, tied = uav["time_s"], _tied(uav, attachment_of_run(folder))

    def truth(times: Array) -> Array:
        return np.column_stack(
            [np.interp(times, recorded, axis, left=np.nan, right=np.nan) for axis in tied.T]
        )

    return truth


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


def _value(scenario: Any, key: str) -> Any:
    for part in key.split("."):
        scenario = scenario.get(part) if isinstance(scenario, dict) else None
    return scenario
