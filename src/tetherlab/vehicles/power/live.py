"""A power supply from Python: stepped live beside a flight, or run over a recorded one."""

from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tetherlab.contracts import check
from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log
from tetherlab.contracts.table import Table
from tetherlab.math.kernel import njit
from tetherlab.vehicles.power.spec import PowerSpec
from tetherlab.vehicles.power.supply import LOW, make_supply, supply_power, write_supply

WIDTH = len(COLUMNS["power"])


class PowerStatus(Enum):
    """How a supply stands; `value` is the sentence. The order is that of `supply.py`."""

    FINE = "the drone is supplied"
    HOT = "the cable is hotter than its insulation stands"
    LOW = "the voltage at the drone is below what it works with"
    SHORT = "the drone asks for more power than the cable can transfer"
    EMPTY = "the battery is empty"

    @property
    def supplied(self) -> bool:
        """Whether the drone gets what it asks for."""
        return list(PowerStatus).index(self) < LOW


class PowerReading(NamedTuple):
    """A supply at a moment."""

    power: float  # that the drone draws [W]
    voltage: float  # at its end of the cable [V]
    current: float  # in the cable [A]
    loss: float  # from the cells to the drone [W]
    power_share: float  # drawn, of the most that it could have
    energy_left: float  # charge of the battery, share
    cable_temperature: float  # of what is out [C]
    drum_temperature: float  # of what lies on the drum [C]
    status: PowerStatus


def read_supply(row: np.void) -> PowerReading:
    """What a record of a supply says."""
    most = float(row["power_max"])
    return PowerReading(
        power=float(row["power"]),
        voltage=float(row["voltage"]),
        current=float(row["current"]),
        loss=float(row["loss"]),
        power_share=float(row["power"]) / most if most > 0.0 else 0.0,
        energy_left=float(row["charge"]),
        cable_temperature=float(row["temperature"]),
        drum_temperature=float(row["temperature_wound"]),
        status=list(PowerStatus)[int(row["status"])],
    )


class PowerSupply:
    """Battery, converters and cable of one drone, that go on as time does."""

    def __init__(self, spec: PowerSpec | None = None, *, paid_out: float = 0.5) -> None:
        """paid_out: of the cable, at the start [m]."""
        self.spec = PowerSpec() if spec is None else spec
        self._row = make_supply(self.spec, check.positive("paid_out", paid_out))
        self._inputs, self._rows = np.zeros((1, 5)), np.zeros((1, WIDTH))

    def step(
        self, dt: float, thrust: float, length: float, *, across: float = 0.0, climb: float = 0.0
    ) -> PowerReading:
        """Feed the drone for dt [s]: thrust of its rotors [N], length of cable that is out [m].

        across, climb: speed through the air, in the plane of the discs and along the thrust [m/s].
        """
        check.positive("dt", dt)
        names = ("thrust", "length", "across", "climb")
        values = map(check.number, names, (thrust, length, across, climb))
        self._inputs[0] = dt, *values
        _supply_all(self._row, self._inputs, self._rows)
        return self.reading

    @property
    def reading(self) -> PowerReading:
        """As it is now."""
        return read_supply(self._row[0])

    def run(
        self,
        time: ArrayLike,
        thrust: ArrayLike,
        length: ArrayLike,
        *,
        across: ArrayLike = 0.0,
        climb: ArrayLike = 0.0,
    ) -> Table:
        """Over a record: rows of time [s], thrust [N] and length [m], (n,); the table `power`.

        What a row says has held since the one before.
        """
        times = check.array("time", time, (None,))
        if len(times) < 2 or (np.diff(times) < 0.0).any():
            raise InputError("time must have two rows or more, and never decrease")
        count, columns = len(times), [np.diff(times, prepend=times[0])]
        for name, value in (("thrust", thrust), ("length", length), ("across", across), ("climb", climb)):
            filled = np.full(count, value) if np.ndim(value) == 0 else value
            columns.append(check.array(name, filled, (count,)))
        rows = np.empty((count, WIDTH))
        _supply_all(self._row, np.column_stack(columns), rows)
        rows[:, 0] = times
        return Table.from_rows(COLUMNS["power"], rows)

    def run_log(self, log: Log) -> Table:
        """Over a log that holds the thrust and the length that was out; the air at rest."""
        uav, winch = log["uav"], log["winch"]
        velocity = uav.rows("vx_m_per_s", "vy_m_per_s", "vz_m_per_s")
        w, x, y, z = (uav[name] for name in ("qw", "qx", "qy", "qz"))
        axis = np.column_stack([2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)])
        climb = (velocity * axis).sum(axis=1)
        across = np.sqrt(np.maximum((velocity**2).sum(axis=1) - climb**2, 0.0))
        length = np.interp(uav["time_s"], winch["time_s"], winch["length_m"])
        return self.run(uav["time_s"], uav["thrust_N"], length, across=across, climb=climb)


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def _supply_all(supply, inputs, rows):
    """Step after step; inputs: dt, thrust, length, across, climb, (n, 5)."""
    for i in range(inputs.shape[0]):
        row = inputs[i]
        supply_power(supply[0], row[1], row[3], row[4], row[2], row[0])
        write_supply(supply[0], 0.0, rows[i], 0)
