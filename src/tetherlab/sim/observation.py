"""What controllers may look at: windows on the plant."""

import numpy as np

from tetherlab.contracts.messages import VehicleState
from tetherlab.plant import model as P
from tetherlab.plant.model import Plant
from tetherlab.tether import model as M


class Observed:
    """The plant as it is now; nothing is copied."""

    def __init__(self, plant: Plant) -> None:
        self._clock, self._winch = plant.clock, plant.winch[0]
        self.uav = _vehicle(plant.memory.body[M.END], plant, 1)
        self.ugv = _vehicle(plant.body[0], plant, 0)
        self.ugv_origin = plant.place[P.ORIGIN]  # point of the ground on which the rover stands [m], (3,)
        self.exit = plant.place[P.EXIT]  # where the tether leaves the winch [m], (3,)
        self.deck = plant.place[P.STAND]  # where the drone's centre is when it stands on the deck [m], (3,)
        self.attachment = plant.place[P.ATTACHMENT]  # where the tether is tied to the drone [m], (3,)

    @property
    def time(self) -> float:
        """[s]."""
        return float(self._clock[0])

    @property
    def length(self) -> float:
        """Of tether that is out, by the winch's encoder [m]."""
        winch = self._winch
        step = winch["encoder_step"]
        slack = (winch["angle"] % step) * winch["radius"] if step > 0.0 else 0.0
        return float(winch["length"] - slack)

    @property
    def length_total(self) -> float:
        """Of the tether, out and on the drum [m]."""
        return float(self._winch["length_total"])

    @property
    def tension(self) -> float:
        """At the winch, as its sensor sees it [N]."""
        return float(self._winch["tension_seen"])


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
