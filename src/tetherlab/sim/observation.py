"""What controllers may look at: windows on the simulation, through which nothing can be moved."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.messages import VehicleState
from tetherlab.math.kernel import plain
from tetherlab.plant.model import Plant
from tetherlab.tether import model as M
from tetherlab.vehicles.power.live import PowerReading, read_supply


class TetherShape(NamedTuple):
    """The tether from the winch to the drone."""

    nodes: NDArray[np.float64]  # [m], (n, 3)
    tension: NDArray[np.float64]  # at them [N], (n,)
    contacts: NDArray[np.float64]  # where it touches something [m], (k, 3)


class Observed:
    """The plant as it is now; nothing is copied."""

    def __init__(self, plant: Plant) -> None:
        up, down = int(plant.rotorcraft["body"][0]), int(plant.rover["body"][0])
        self._winch, self._supply, self._platform = plant.winch[0], plant.supply, plant.platform[0]
        t = int(self._winch["tether"])
        self._time = plant.clock["time"]
        self._memory = M.Memory(*[array[t] for array in plant.graph.memories])
        line, rover = plant.line[t], plant.part[down]
        self.uav = _vehicle(plant.graph.body[up], plant.part[up])
        self.ugv = _vehicle(plant.graph.body[down], rover)
        self.ugv_origin = window(rover["origin_W"])  # point of the ground on which the rover stands [m], (3,)
        self.exit = window(line["base_W"])  # where the tether leaves the winch [m], (3,)
        self.deck = window(plant.berth[0]["stand_W"])  # the drone's centre on the deck [m], (3,)
        self.attachment = window(line["end_W"])  # where the tether is tied to the drone [m], (3,)

    @property
    def time(self) -> float:
        """[s]."""
        return float(self._time[0])

    @property
    def deck_rotation(self) -> NDArray[np.float64]:
        """R_WP of the deck, (3, 3); a copy."""
        turned: NDArray[np.float64] = self.ugv.rotation @ self._platform["R_BP"]
        return turned

    @property
    def deck_angles(self) -> NDArray[np.float64] | None:
        """Roll and pitch of the deck on the rover [rad], (2,); None: it is fixed."""
        platform = self._platform
        return np.array([platform["roll"], platform["pitch"]]) if platform["present"] else None

    @property
    def exit_velocity(self) -> NDArray[np.float64]:
        """Of the point where the tether leaves the winch [m/s], (3,)."""
        ugv, platform = self.ugv, self._platform
        R, arm = ugv.rotation, self.exit - ugv.position
        velocity: NDArray[np.float64] = ugv.velocity + cross(R @ ugv.angular_velocity_body, arm)
        if platform["present"]:
            velocity += cross(R @ platform["rate_B"], arm - R @ platform["joint_B"])
        return velocity

    @property
    def length(self) -> float:
        """Of tether that is out, by the winch's encoder [m]."""
        winch = self._winch  # as `measured_length` has it, which from Python would take five times as long
        step = winch["encoder_step"]
        slack = (winch["angle"] % step) * winch["radius"] if step > 0.0 else 0.0
        return float(winch["length"] - slack)

    @property
    def tether(self) -> TetherShape:
        """As it is now; copies."""
        state = plain(M.open_state)(self._memory)
        count = int(state.number[M.COUNT])
        touching = state.contact[: count + 1]["touching"] == 1
        wrapped = state.wrap[:count]["active"] == 1
        between = np.concatenate([state.tension[:1], state.tension[:count]])
        return TetherShape(
            nodes=state.x[: count + 1].copy(),
            tension=0.5
            * (between + np.concatenate([state.tension[:count], state.tension[count - 1 : count]])),
            contacts=np.concatenate([state.x[: count + 1][touching], state.wrap[:count]["point_W"][wrapped]]),
        )

    @property
    def length_total(self) -> float:
        """Of the tether, out and on the drum [m]."""
        return float(self._winch["length_total"])

    @property
    def tension(self) -> float:
        """At the winch, as its sensor sees it [N]."""
        return float(self._winch["tension_seen"])

    @property
    def power(self) -> PowerReading | None:
        """That comes through the tether, as it is now; None if there is none."""
        return read_supply(self._supply[0]) if len(self._supply) else None


def cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of two vectors, (3,); NumPy's own takes twenty times as long."""
    a0, a1, a2 = a.tolist()
    b0, b1, b2 = b.tolist()
    return np.array((a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0))


def window(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers, read only."""
    view = array.view()
    view.flags.writeable = False
    return view


def _vehicle(body: np.void, part: np.void) -> VehicleState:
    return vehicle_state(body, part["acceleration_W"], part["pull_W"])


def vehicle_state(
    body: np.void, acceleration: NDArray[np.float64], pull: NDArray[np.float64]
) -> VehicleState:
    """Windows on a body, its mean acceleration and the pull of its tether."""
    return VehicleState(
        position=window(body["p_W"]),
        rotation=window(body["R_WB"]),
        velocity=window(body["v_W"]),
        angular_momentum=window(body["L_W"]),
        inertia=window(body["inertia_B"]),
        acceleration=window(acceleration),
        tether_force=window(pull),
        mass=float(body["mass"]),
    )
