"""The graph of the power that comes through the tether."""

from tetherlab.contracts.log import Log
from tetherlab.metrics.read import Array, rows
from tetherlab.report.graphs import Graph, Panel, panel_of


def _battery_left(log: Log) -> tuple[Array, Array]:
    time, share = rows(log, "power", "time_s", "battery_share").T
    return time, 100.0 * share


POWER_GRAPH = Graph(
    "power",
    "Power through the tether",
    (
        panel_of("power", "power_W", "drawn", lost="loss_W"),
        panel_of("power", "voltage_V", "at the UAV", battery="battery_voltage_V"),
        panel_of("power", "current_A", "in the cable"),
        panel_of("power", "cable_temperature_C", "cable", drum="drum_temperature_C"),
        Panel("battery", "%", _battery_left),
    ),
)
