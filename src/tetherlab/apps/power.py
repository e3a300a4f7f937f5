"""`tetherlab power`: what a power cable transfers to a drone, what it loses, and which one to take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

MANY = Parameter(consume_multiple=True, negative=())
COLDEST = -200.0  # copper of which the resistance is still on its straight line [C]


def power(
    *,
    voltage_V: Annotated[float, Parameter(name="--voltage-V")] = 38.4,
    power_W: Annotated[float, Parameter(name="--power-W")] = 600.0,
    length_m: float = 15.0,
    awg: int | None = None,
    resistance_ohm_per_m: float | None = None,
    connectors_ohm: float = 0.15,
    return_conductor: Annotated[bool, Parameter(negative=())] = False,
    temperature_C: Annotated[float, Parameter(name="--temperature-C")] = 20.0,
    mass_kg: float = 3.43,
    battery_Ah: Annotated[float, Parameter(name="--battery-Ah")] = 50.0,
    mission_min: float = 60.0,
    table_voltage_V: Annotated[tuple[float, ...], MANY, Parameter(name="--table-voltage-V")] = (100.0, 400.0),
    table_length_m: Annotated[tuple[float, ...], MANY] = (15.0, 30.0, 60.0),
    table_awg: Annotated[tuple[int, ...], MANY] = (10, 12, 14, 16, 18, 20, 22, 24, 26, 28),
    picture: Path = Path("runs/power.svg"),
    json: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Say what arrives at a drone through a cable, and which cable takes the least power.

    Example: tetherlab power --power-W 500 --length-m 30 --awg 14 --return-conductor --picture cable.png

    What is not given is that of paper 003: 15 m of 16 AWG, 38.4 V, 600 W, one conductor counted. Beyond the
    largest power that the cable can transfer there is an explanation and no number.

    Parameters
    ----------
    voltage_V
        Of the source.
    power_W
        That the drone draws.
    length_m
        Of the cable, all of it.
    awg
        American gauge of each of its two conductors, by which resistance and weight are computed.
    resistance_ohm_per_m
        Of one conductor at 20 °C, instead of a gauge.
    connectors_ohm
        Connectors, slip ring and what else is in the circuit.
    return_conductor
        Count the way back as well, which paper 003 does not.
    temperature_C
        Of the copper.
    mass_kg
        Of the drone without its cable, for the table and the endurance.
    battery_Ah
        On the ground robot, for the endurance.
    mission_min
        Time in the air, for which flights with a battery on board are counted.
    table_voltage_V
        On the cable, with converters at both ends, for further rows of the table.
    table_length_m
        Lengths of the table.
    table_awg
        Gauges of the table.
    picture
        To write, as SVG, PNG or PDF.
    json
        Print numbers for programs instead of a table.
    """
    from json import dumps

    from tetherlab.apps.power_table import Study, as_data, as_text
    from tetherlab.contracts import check
    from tetherlab.contracts.errors import InputError
    from tetherlab.report.figure_file import check_figure_path, write_figure
    from tetherlab.report.power_figure import draw_power
    from tetherlab.vehicles.power import Airframe, Battery, Cable
    from tetherlab.vehicles.power.design import Choice

    if awg is not None and resistance_ohm_per_m is not None:
        raise InputError("give either --awg or --resistance-ohm-per-m")
    for name, value in (
        ("--voltage-V", voltage_V), ("--power-W", power_W), ("--length-m", length_m), ("--mass-kg", mass_kg),
        ("--battery-Ah", battery_Ah), ("--mission-min", mission_min),
        *(("--table-voltage-V", volts) for volts in table_voltage_V),
        *(("--table-length-m", length) for length in table_length_m),
    ):  # fmt: skip
        check.positive(name, value)
    check.non_negative("--connectors-ohm", connectors_ohm)
    if check.number("--temperature-C", temperature_C) < COLDEST:
        raise InputError(f"--temperature-C must be at least {COLDEST:g}, got {temperature_C:g}")
    circuit: dict[str, Any] = {"connectors": connectors_ohm, "return_conductor": return_conductor}
    if awg is not None:
        cable = Cable.of_gauge(awg, length_m, **circuit)
    elif resistance_ohm_per_m is not None:
        check.positive("--resistance-ohm-per-m", resistance_ohm_per_m)
        cable = Cable.of_resistance(resistance_ohm_per_m, length_m, **circuit)
    else:
        cable = Cable(length=length_m, **circuit)
    if picture.parent == Path("runs"):
        picture.parent.mkdir(exist_ok=True)
    path = check_figure_path(picture)
    airframe = Airframe(mass=mass_kg)
    study = Study(
        cable=cable,
        choice=Choice(airframe=airframe, temperature=temperature_C, **circuit),
        voltage=voltage_V,
        power=power_W,
        battery=Battery.like(voltage_V, 3600.0 * battery_Ah),
        mission=60.0 * mission_min,
        voltages=table_voltage_V,
        lengths=table_length_m,
        gauges=table_awg,
    )
    print(dumps(as_data(study), indent=1) if json else as_text(study))
    write_figure(draw_power(study.choice, cable, voltage_V, power_W, table_voltage_V, table_awg), path)
    if not json:
        print(f"\nPicture: {path}")
