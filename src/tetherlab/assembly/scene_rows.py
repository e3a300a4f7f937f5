"""The record of a scene: while it runs what is cheap to copy, worked out when somebody asks for tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.stations import Stations
from tetherlab.contracts.columns import STATION_POSITIONS, STATION_TENSIONS
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.table import Table
from tetherlab.math.rotation import quaternion_from_matrix
from tetherlab.plant.graph import Graph
from tetherlab.plant.graph_build import open_tether
from tetherlab.plant.joint import BALL
from tetherlab.plant.state_rules import LARGEST
from tetherlab.tether import model as M

Array = NDArray[np.float64]
BODY_COLUMNS = (
    "time_s", "x_m", "y_m", "z_m", "qw", "qx", "qy", "qz", "vx_m_per_s", "vy_m_per_s", "vz_m_per_s",
    "wx_rad_per_s", "wy_rad_per_s", "wz_rad_per_s",
)  # fmt: skip
JOINT_COLUMNS = (
    "time_s", "angle_1_rad", "angle_2_rad", "rate_1_rad_per_s", "rate_2_rad_per_s",
    "force_x_N", "force_y_N", "force_z_N", "torque_x_Nm", "torque_y_Nm", "torque_z_Nm",
)  # fmt: skip
TETHER_COLUMNS = (
    "time_s", "length_m", "tension_max_N", "tension_start_N", "tension_end_N",
    "force_start_x_N", "force_start_y_N", "force_start_z_N",
    "force_end_x_N", "force_end_y_N", "force_end_z_N",
)  # fmt: skip
SHAPE_COLUMNS = (*STATION_POSITIONS, *STATION_TENSIONS)  # of a tether, behind the others
BODY_FIELDS = {"p_W": 3, "R_WB": 9, "v_W": 3, "L_W": 3}  # that are copied, and their sizes
JOINT_FIELDS = {"angle": 2, "load": 6, "row": 9, "pull": 2, "spring": 6}


class SceneRows:
    """Rows of all bodies, tethers and joints of a scene."""

    def __init__(self, bodies: Mapping[str, Array], tethers: Sequence[str], joints: Sequence[str]) -> None:
        """bodies: names, and where the centre of mass is in the frame that is recorded [m], (3,)."""
        self._centers = np.array(list(bodies.values())).reshape(len(bodies), 3)
        self._names = (tuple(bodies), tuple(tethers), tuple(joints))
        self._graph: Graph | None = None
        self._states: list[M.TetherState] = []
        self.clear()

    def clear(self) -> None:
        """Forget all rows."""
        self._times: list[float] = []
        self._bodies: list[Array] = []
        self._tethers: list[tuple[float, ...]] = []
        self._stations = [Stations() for _ in self._names[1]]
        self._joints: list[Array] = []

    def keep(self, time: float, graph: Graph) -> None:
        """A row of everything as it is now."""
        if graph is not self._graph:
            self._graph = graph
            self._states = [open_tether(graph, t) for t in range(len(graph.tie))]
        self._times.append(time)
        self._bodies.append(_copied(graph.body, BODY_FIELDS))
        self._joints.append(_copied(graph.joint, JOINT_FIELDS))
        for state, stations in zip(self._states, self._stations, strict=True):
            count = int(state.number[M.COUNT])
            tension, duration = state.tension[:count], float(state.total[M.DURATION])
            forces = (state.impulse / duration if duration else 0.0 * state.impulse).ravel().tolist()
            length = float(state.rest[:count].sum())
            stations.keep(state.x[: count + 1], tension, state.rest[:count])
            self._tethers.append((time, length, float(tension.max()), tension[0], tension[-1], *forces))

    def arrays(self) -> dict[str, Array]:
        """All rows, for a checkpoint."""
        return {
            "rows_time": np.array(self._times),
            "rows_body": np.array(self._bodies),
            "rows_joint": np.array(self._joints),
            "rows_tether": np.array(self._tethers).reshape(-1, len(TETHER_COLUMNS)),
            "rows_station": np.array([stations.rows() for stations in self._stations]).reshape(
                -1, len(self._times), len(SHAPE_COLUMNS)
            ),
        }

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Take up the rows of a checkpoint, if they are what this run writes."""
        bodies, tethers, joints = map(len, self._names)
        rows = len(arrays["rows_time"])
        for name, *shape in (
            ("time", rows), ("body", rows, bodies, sum(BODY_FIELDS.values())),
            ("joint", rows, joints, sum(JOINT_FIELDS.values())),
            ("tether", rows * tethers, len(TETHER_COLUMNS)), ("station", tethers, rows, len(SHAPE_COLUMNS)),
        ):  # fmt: skip
            there = arrays[f"rows_{name}"]
            if (
                there.shape != tuple(shape)
                or there.dtype != np.float64
                or not (np.abs(there) <= LARGEST).all()
            ):
                raise InputError(f"damaged: the rows of {name} are not of this run")
        if not rows or (np.diff(arrays["rows_time"]) < 0.0).any():
            raise InputError("damaged: the times of the rows do not rise")
        self._times = arrays["rows_time"].tolist()
        self._bodies, self._joints = list(arrays["rows_body"]), list(arrays["rows_joint"])
        self._tethers = [tuple(row) for row in arrays["rows_tether"].tolist()]
        self._stations = [Stations(array) for array in arrays["rows_station"]]

    def tables(self, graph: Graph) -> dict[str, Table]:
        """A table for each body, tether and joint."""
        bodies, tethers, joints = self._names
        times = np.array(self._times)[:, None]
        now = _split(self._bodies, BODY_FIELDS)
        R = now["R_WB"].reshape(*now["R_WB"].shape[:2], 3, 3)
        L_B = np.einsum("tbki,tbk->tbi", R, now["L_W"])
        w_W = np.einsum("tbik,bkj,tbj->tbi", R, np.linalg.inv(graph.body["inertia_B"]), L_B)
        arm = np.einsum("tbij,bj->tbi", R, self._centers)
        places, speeds = now["p_W"] - arm, now["v_W"] - np.cross(w_W, arm)
        found: dict[str, Table] = {}
        for b, name in enumerate(bodies):
            q = np.array([quaternion_from_matrix(matrix) for matrix in R[:, b]])
            rows = np.hstack([times, places[:, b], q, speeds[:, b], w_W[:, b]])
            found[name] = Table.from_rows(BODY_COLUMNS, rows)
        for t, name in enumerate(tethers):
            rows = np.hstack([self._tethers[t :: len(tethers)], self._stations[t].rows()])
            found[name] = Table.from_rows((*TETHER_COLUMNS, *SHAPE_COLUMNS), rows)
        then = _split(self._joints, JOINT_FIELDS)
        for j, name in enumerate(joints):
            load = then["load"][:, j]
            torque = np.einsum("tk,tki->ti", load[:, 3:], then["row"][:, j].reshape(-1, 3, 3))
            torque -= np.einsum("tk,tki->ti", then["pull"][:, j], then["spring"][:, j].reshape(-1, 2, 3))
            rates = _joint_rates(graph.joint[j], R, w_W)
            rows = np.hstack([times, then["angle"][:, j], rates, load[:, :3], torque])
            found[name] = Table.from_rows(JOINT_COLUMNS, rows)
        return found


def _copied(records: NDArray[np.void], fields: dict[str, int]) -> Array:
    """Fields of records side by side, (records, size)."""
    return np.concatenate(
        [records[name].reshape(len(records), size) for name, size in fields.items()], axis=1
    )


def _split(rows: list[Array], fields: dict[str, int]) -> dict[str, Array]:
    """Such copies by field, each (rows, records, size)."""
    parts = np.split(np.array(rows), np.cumsum(list(fields.values()))[:-1], axis=2)
    return dict(zip(fields, parts, strict=True))


def _joint_rates(joint: np.void, R: Array, w_W: Array) -> Array:
    """Rates of the angles of a joint [rad/s], (rows, 2)."""
    rates = np.zeros((len(R), 2))
    if joint["kind"] == BALL:
        return rates
    parent, child = joint["body"]
    turning = w_W[:, child] if parent < 0 else w_W[:, child] - w_W[:, parent]
    for side, b in enumerate((parent, child)):
        axis = joint["axes_B"][side, side]
        axes = np.broadcast_to(axis, turning.shape) if b < 0 else R[:, b] @ axis
        rates[:, side] = (turning * axes).sum(axis=1)
    return rates
