"""What a flying drone draws through its tether, and winch and rover beside it, once per tick."""

import math

from tetherlab.math.kernel import kernel
from tetherlab.vehicles.power.supply import supply_power
from tetherlab.world.wind_field import wind_at


@kernel
def draw_power(plant, supply, dt):
    """Feed the drone of a supply for dt [s] as its rotors turn now, in the wind that it is in."""
    drone, winch = plant.rotorcraft[supply.rotorcraft], plant.winch[supply.winch]
    body = plant.graph.body[drone.body]
    p, v, R = body.p_W, body.v_W, body.R_WB
    w0, w1, w2 = wind_at(plant.wind, p[0], p[1], p[2], plant.clock[0].time)
    a0, a1, a2 = v[0] - w0, v[1] - w1, v[2] - w2
    climb = R[0, 2] * a0 + R[1, 2] * a1 + R[2, 2] * a2
    across = math.sqrt(max(a0 * a0 + a1 * a1 + a2 * a2 - climb * climb, 0.0))
    # Motors that brake give nothing back; they are taken to be as good as those of the drone.
    turned = max(plant.rover[supply.rover].drive_power, 0.0) + max(winch.power, 0.0)
    supply.base_load = turned / supply.drive_efficiency
    supply_power(supply, drone.thrust, across, climb, winch.length, dt)
