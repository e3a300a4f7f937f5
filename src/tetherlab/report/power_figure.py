"""Power through a cable as a picture: loss, voltage and largest power over length, voltage and gauge."""

import dataclasses

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tetherlab.report.style import BLUE, GREEN, GREY, LIMIT, ORANGE, STYLE, VERMILION, WIDTH, Line
from tetherlab.vehicles.power import Cable, Converter, power_max, transfer
from tetherlab.vehicles.power.design import Choice

SHOWN = (12, 14, 16, 18, 20)  # gauges of the curves
COLORS = (GREEN, ORANGE, BLUE, VERMILION, GREY)
STROKES = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (3, 1)))


def draw_power(
    choice: Choice,
    cable: Cable,
    voltage: float,
    power: float,
    voltages: tuple[float, ...],
    gauges: tuple[int, ...],
) -> Figure:
    """Above what a load of constant power [W] gets from a source [V]; below what is possible, and best."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(1.35 * WIDTH, 7.4), layout="constrained")
        (loss, arrives), (most, best) = figure.subplots(2, 2)
        _draw_lengths(loss, arrives, choice, cable, voltage, power)
        _draw_most(most, choice, cable, voltage, power)
        _draw_best(best, choice, cable.length, voltage, voltages, gauges)
        loss.legend(loc="upper left")
        counted = "both conductors" if choice.return_conductor else "one conductor"
        figure.suptitle(
            f"{power:g} W from {voltage:g} V, {choice.connectors:g} ohm of connectors, {counted} counted, "
            f"copper at {choice.temperature:g} °C",
            size=10,
        )
    return figure


def _draw_lengths(
    loss: Axes, arrives: Axes, choice: Choice, cable: Cable, voltage: float, power: float
) -> None:
    lengths = np.linspace(0.5, 2.5 * cable.length, 200)
    for gauge, color, stroke in zip(SHOWN, COLORS, STROKES, strict=True):
        made = [choice.cable(gauge, float(length)).resistance_at(choice.temperature) for length in lengths]
        fits = np.array([power <= power_max(voltage, ohm) for ohm in made])
        found = [transfer(voltage, ohm, power) for ohm, fit in zip(made, fits, strict=True) if fit]
        style: Line = {"color": color, "linestyle": stroke, "label": f"{gauge} AWG"}
        loss.plot(lengths[fits], [row.loss for row in found], **style)
        arrives.plot(lengths[fits], [row.voltage for row in found], **style)
    given = transfer(voltage, cable.resistance_at(choice.temperature), power)
    loss.plot(cable.length, given.loss, "o", color="black", label="as asked")
    arrives.plot(cable.length, given.voltage, "o", color="black")
    arrives.axhline(0.5 * voltage, **LIMIT)
    arrives.annotate("no more power beyond", (0.02, 0.5 * voltage), xycoords=("axes fraction", "data"),
                     xytext=(0, 3), textcoords="offset points", size=8, color=GREY)  # fmt: skip
    loss.set(title="Lost on the way", xlabel="length [m]", ylabel="loss [W]", ylim=(0.0, None))
    arrives.set(title="Voltage at the drone", xlabel="length [m]", ylabel="voltage [V]")


def _draw_most(axes: Axes, choice: Choice, cable: Cable, voltage: float, power: float) -> None:
    volts = np.linspace(10.0, 4.0 * voltage, 100)
    for gauge, color, stroke in zip(SHOWN, COLORS, STROKES, strict=True):
        ohm = choice.cable(gauge, cable.length).resistance_at(choice.temperature)
        axes.plot(volts, volts**2 / (4.0 * ohm), color=color, linestyle=stroke)
    axes.axhline(power, **LIMIT)
    axes.axvline(voltage, color=GREY, linestyle=":")
    axes.set(title=f"Largest power, {cable.length:g} m", xlabel="voltage [V]", ylabel="power [W]")
    axes.set(yscale="log", xlim=(volts[0], volts[-1]))


def _draw_best(
    axes: Axes,
    choice: Choice,
    length: float,
    voltage: float,
    voltages: tuple[float, ...],
    gauges: tuple[int, ...],
) -> None:
    for volts, color, stroke in zip((voltage, *voltages), COLORS, STROKES, strict=False):
        converter = None if volts == voltage else Converter(voltage=volts, voltage_min=0.5 * volts)
        fed = dataclasses.replace(choice, converter=converter)
        rows = [row for gauge in gauges if not (row := fed.weigh(gauge, length, volts)).why_not]
        if not rows:
            continue
        least = min(rows, key=lambda row: row.total)
        label = f"{volts:g} V" + (", converters" if converter else "")
        axes.plot([row.gauge for row in rows], [row.total for row in rows], color=color, linestyle=stroke,
                  marker=".", label=label)  # fmt: skip
        axes.plot(least.gauge, least.total, "o", color=color, fillstyle="none", markersize=9)
    axes.set(title=f"Hover with {length:g} m in the air", xlabel="gauge [AWG], thinner to the right")
    axes.set(ylabel="power from the source [W]", xlim=(min(gauges) - 0.5, max(gauges) + 0.5))
    if axes.lines:
        axes.legend(title="circle: least")
