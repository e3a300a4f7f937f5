"""What controllers may look at: windows on the plant."""

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.messages import VehicleState
from tetherlab.plant.model import Plant
from tetherlab.tether import model as M

Vector = NDArray[np.float64]


class Observed:
    """The plant as it is now; nothing is copied."""

    def __init__(self, plant: Plant, standing: float) -> None:
        """standing: height of the drone's centre above the rover's origin when it stands on the deck [m]."""
        self._plant, self._standing = plant, standing
        self.uav = _vehicle(plant.memory.body[M.END], plant, 1)
        self.ugv = _vehicle(plant.body[0], plant, 0)
        self._attachment_B = plant.memory.body[M.END]["attachment_B"]
        self._winch = plant.winch[0]
        middle = np.zeros(3)
        if len(plant.deck):
            middle[:2] = plant.field.bounds[plant.deck[0], :2]
        self._deck_B = middle + plant.rover_origin * (0.0, 0.0, 1.0) + (0.0, 0.0, standing)

    @property
    def time(self) -> float:
        """[s]."""
        return float(self._plant.clock[0])

    @property
    def ugv_origin(self) -> Vector:
        """Point of the ground on which the rover stands [m], (3,)."""
        origin: Vector = self.ugv.position + self.ugv.rotation @ self._plant.rover_origin
        return origin

    @property
    def deck(self) -> Vector:
        """Where the drone's centre is when it stands on the deck [m], (3,)."""
        place: Vector = self.ugv.position + self.ugv.rotation @ self._deck_B
        return place

    @property
    def length(self) -> float:
        """Of tether that is out, by the winch's encoder [m]."""
        winch = self._winch
        step = winch["encoder_step"]
        slack = (winch["angle"] % step) * winch["radius"] if step > 0.0 else 0.0
        return float(winch["length"] - slack)

    @property
    def tension(self) -> float:
        """At the winch, as its sensor sees it [N]."""
        return float(self._winch["tension_seen"])

    @property
    def exit(self) -> Vector:
        """Where the tether leaves the winch [m], (3,)."""
        point: Vector = self.ugv.position + self.ugv.rotation @ self._plant.exit_B
        return point

    @property
    def attachment(self) -> Vector:
        """Where it is tied to the drone [m], (3,)."""
        point: Vector = self.uav.position + self.uav.rotation @ self._attachment_B
        return point


def _vehicle(body: np.void, plant: Plant, who: int) -> VehicleState:
    return VehicleState(
        position=body["p_W"],
        rotation=body["R_WB"],
        velocity=body["v_W"],
        angular_momentum=body["L_W"],
        inertia=body["inertia_B"],
        acceleration=plant.acceleration[who],
        tether_force=plant.pull[who],
        mass=float(body["mass"]),
    )
