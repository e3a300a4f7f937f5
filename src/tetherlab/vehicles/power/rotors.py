"""What rotors draw for a thrust: momentum theory, with a figure of merit for what blades lose to drag."""

import math

from tetherlab.math.kernel import kernel

ITERATIONS, CONVERGED = 20, 1e-12
SINK_MAX = (
    0.5  # of the induced velocity in hover: beyond, rotors sink into their own wake, and no theory holds
)


@kernel
def rotor_power(thrust, disc_area, air_density, figure_of_merit, across, climb):
    """Power at the shafts [W] for a thrust [N] of discs [m^2] in air [kg/m^3].

    across, climb: speed of the rotors through the air, in the plane of the discs and along the thrust [m/s].
    Glauert's induced velocity v solves v sqrt((climb + v)^2 + across^2) = T / (2 rho A); drag of the
    blades is what it is in hover at this thrust.
    """
    if thrust <= 0.0:
        return 0.0
    square = thrust / (2.0 * air_density * disc_area)
    hover = math.sqrt(square)
    c = max(climb, -SINK_MAX * hover)
    v = math.sqrt(0.25 * c * c + square) - 0.5 * c  # exact without wind from the side, else above the root
    for _ in range(ITERATIONS):
        along = c + v
        speed = math.sqrt(along * along + across * across)
        change = (v * speed - square) / (speed + v * along / speed)
        v -= change
        if abs(change) < CONVERGED * hover:
            break
    return thrust * (c + v + (1.0 / figure_of_merit - 1.0) * hover)
