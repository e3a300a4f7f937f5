"""The file of a calibration: YAML with one entry per sensor, strict about what it holds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tetherlab.contracts import check
from tetherlab.contracts.documents import read_yaml, write_yaml
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import naming
from tetherlab.contracts.files import why_not
from tetherlab.sensors.calibration import LAWS, SENSORS, SensorLaw

VERSION = 1
NEEDED = ("law", "input", "unit", "coefficients", "residual_deviation", "input_range")
OPTIONAL = ("standard_errors", "provenance")
PROVENANCE = ("file", "samples", "rejected_lines")
COMMENT = """Sensors of a tether as `tetherlab calibrate` found them.
Comments of your own are not kept when it adds another.
linear: value = gain * input + offset; quadratic: value = curvature * input^2 + gain * input + offset.
residual_deviation is that of one reading, in the unit of the sensor."""


def write_calibration(sensors: Mapping[str, SensorLaw], path: str | Path) -> None:
    """Write the file, or leave what is there untouched."""
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    entries = {name: _entry(law) for name, law in sensors.items()}
    try:
        write_yaml({"version": VERSION, "sensors": entries}, path, comment=COMMENT)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {why_not(error)}") from None


def read_calibration(path: str | Path) -> dict[str, SensorLaw]:
    """The laws of a file; the first mistake is said with its place."""
    document = read_yaml(path)
    with naming(path):
        return _laws(document)


def _entry(law: SensorLaw) -> dict[str, Any]:
    names = LAWS[law.law]
    entry: dict[str, Any] = {
        "law": law.law,
        "input": law.input,
        "unit": law.unit,
        "coefficients": dict(zip(names, map(float, law.coefficients), strict=True)),
    }
    if law.standard_errors:
        entry["standard_errors"] = dict(zip(names, map(float, law.standard_errors), strict=True))
    entry["residual_deviation"] = float(law.residual_deviation)
    entry["input_range"] = [float(limit) for limit in law.input_range]
    if law.file:
        lines = [int(line) for line in law.rejected_lines]
        entry["provenance"] = {"file": law.file, "samples": int(law.samples), "rejected_lines": lines}
    return entry


def _laws(document: Any) -> dict[str, SensorLaw]:
    _mapping("a calibration", document, ("version", "sensors"))
    if document["version"] != VERSION:
        raise InputError(f"version: must be {VERSION}, got {check.shown(document['version'])}")
    sensors = document["sensors"]
    if not isinstance(sensors, dict):
        raise InputError(f"sensors: must map names of sensors to their laws, got {check.shown(sensors)}")
    for name in sensors:
        if name not in SENSORS:
            raise InputError(f"sensors.{name}: unknown sensor.{check.did_you_mean(str(name), SENSORS)}")
    return {name: _law(f"sensors.{name}", entry) for name, entry in sensors.items()}


def _law(where: str, entry: Any) -> SensorLaw:
    _mapping(where, entry, NEEDED, OPTIONAL)
    if not isinstance(entry["law"], str) or entry["law"] not in LAWS:
        raise InputError(f"{where}.law: must be {' or '.join(LAWS)}, got {check.shown(entry['law'])}")
    names = LAWS[entry["law"]]
    low, high = check.array(f"{where}.input_range", entry["input_range"], (2,)).tolist()
    if not low < high:
        raise InputError(f"{where}.input_range: must rise, got {low:g} and {high:g}")
    given: dict[str, Any] = {}
    if "standard_errors" in entry:
        given["standard_errors"] = _numbers(f"{where}.standard_errors", entry["standard_errors"], names)
    if "provenance" in entry:
        given |= _provenance(f"{where}.provenance", entry["provenance"])
    return SensorLaw(
        input=entry["input"],
        unit=entry["unit"],
        coefficients=_numbers(f"{where}.coefficients", entry["coefficients"], names),
        residual_deviation=check.non_negative(f"{where}.residual_deviation", entry["residual_deviation"]),
        input_range=(low, high),
        **given,
    )


def _provenance(where: str, entry: Any) -> dict[str, Any]:
    _mapping(where, entry, PROVENANCE)
    file, samples, lines = (entry[key] for key in PROVENANCE)
    if not isinstance(file, str) or not file:
        raise InputError(f"{where}.file: must be the name of a file, got {check.shown(file)}")
    numbers = lines if isinstance(lines, list) else [None]
    for key, value in [("samples", samples), *(("rejected_lines", line) for line in numbers)]:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            wanted = "a list of line numbers" if key == "rejected_lines" else "a whole number >= 0"
            raise InputError(f"{where}.{key}: must be {wanted}, got {check.shown(entry[key])}")
    return {"file": file, "samples": samples, "rejected_lines": tuple(lines)}


def _numbers(where: str, entry: Any, names: tuple[str, ...]) -> tuple[float, ...]:
    _mapping(where, entry, names)
    return tuple(check.number(f"{where}.{name}", entry[name]) for name in names)


def _mapping(where: str, entry: Any, needed: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    """Exactly these keys, or a sentence about the first that is wrong."""
    known = (*needed, *optional)
    if not isinstance(entry, dict):
        raise InputError(f"{where}: must have the keys {', '.join(needed)}, got {check.shown(entry)}")
    for key in entry:
        if key not in known:
            raise InputError(f"{where}.{key}: unknown key.{check.did_you_mean(str(key), known)}")
    for key in needed:
        if key not in entry:
            raise InputError(f"{where}.{key}: missing")
