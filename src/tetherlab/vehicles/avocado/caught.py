"""A branch catches AVOCADO's tether, or lets it go: the same motion seen from another anchor."""

from dataclasses import replace

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.vehicles.avocado.state import LENGTH_MIN, AvocadoState

PLANAR = 1e-6  # psi [rad] and rates out of the plane [rad/s] up to which a motion is one in the plane


@check.known_arguments
def move_anchor(state: AvocadoState, held: float) -> AvocadoState:
    """The state when a point of the tether becomes its anchor, so far down from the one before [m].

    held > 0: a branch holds so much of the tether; < 0: it lets it go again. P and the robot move on as they
    did: theta stays, its rate grows as the tether gets shorter, and the joint's makes up for it.
    For the analytic model alone: its `tether_length` is then that of the free part.
    In the plane only: a sideways contact would turn the robot at once, by the joint, which has one axis.
    """
    held = check.number("held", held)
    if max(abs(state.psi), abs(state.heading_rate), abs(state.psi_rate)) > PLANAR:
        raise InputError(
            "the state must move in the plane of tether and robot (psi, heading_rate and psi_rate 0) for its "
            f"anchor to move, got {state.psi:g} rad, {state.heading_rate:g} and {state.psi_rate:g} rad/s"
        )
    if state.tether_length - held < LENGTH_MIN or state.distance - held < LENGTH_MIN:
        raise InputError(f"held must leave {LENGTH_MIN:g} m of {state.tether_length:g} m free, got {held:g}")
    distance = state.distance - held
    theta_rate = state.theta_rate * state.distance / distance
    return replace(
        state,
        distance=distance,
        tether_length=state.tether_length - held,
        theta_rate=theta_rate,
        phi_rate=state.phi_rate + state.theta_rate - theta_rate,
    )
