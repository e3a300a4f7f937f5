"""What the members of a hoist may look at, as controllers of a plant do."""

from tetherlab.plant import hoist_model as H
from tetherlab.sim.observation import Observed, vehicle_state, window


class HoistObserved(Observed):
    """A hoist as it is now; nothing is copied."""

    def __init__(self, hoist: H.Hoist) -> None:
        self._winch, self._supply, self._platform = hoist.winch[0], hoist.supply, hoist.platform[0]
        self._time, self._memory = hoist.clock, hoist.memory
        self.uav, self.ugv = (
            vehicle_state(hoist.body[who], hoist.acceleration[who], hoist.pull[who])
            for who in (H.DRONE, H.ROVER)
        )
        self.ugv_origin, self.exit, self.deck, self.attachment = window(hoist.place)
