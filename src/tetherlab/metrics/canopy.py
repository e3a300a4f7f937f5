"""How a robot in the canopy followed what it was to do, and what that took (Table II of paper 001)."""

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log
from tetherlab.metrics.read import Array, MissingError, at_times, rows
from tetherlab.world import World
from tetherlab.world.document import SEA_LEVEL_AIR_DENSITY

LEANS = 3.0  # reference of theta from which on the tether has a heading that is worth an error [deg]
FOLLOWED = ("theta", "heading", "length")
WANTED = ("theta_deg", "heading_deg", "length_m")


def followed(log: Log) -> tuple[Array, Array, Array]:
    """Times (n,) [s], what the robot did and was to do: theta, heading [deg] and length [m], (n, 3) each."""
    time, theta, heading = leaning(log, "robot")
    (length,) = at_times(log, "robot", ("length_m",), time).T
    wanted = at_times(log, "reference", WANTED, time)
    return time, np.column_stack([theta, heading, length]), wanted


def leaning(log: Log, table: str) -> tuple[Array, Array, Array]:
    """Times (n,) [s], theta and heading (n,) [deg] of "robot" or "believed", in the words of the references.

    (heading, theta, psi) and (heading + 180, -theta, psi - 180) are the same place: it is said so that the
    robot looks to where its tether leans, |psi| <= 90, with the heading within half a turn of its reference.
    """
    time, theta, heading, psi = rows(log, table, "time_s", "theta_deg", "heading_deg", "psi_deg").T
    (wanted,) = at_times(log, "reference", ("heading_deg",), time).T
    known = np.isfinite(wanted)
    if not known.any():
        raise MissingError("the references of the robot are of other times")
    away = np.cos(np.radians(psi)) < 0.0
    heading = wanted + half_turn(heading + np.where(away, 180.0, 0.0) - wanted)
    return time[known], np.where(away, -theta, theta)[known], heading[known]


def tracking(log: Log, name: str) -> tuple[Array, Array]:
    """Times (n,) [s] and value less reference, (n,) [deg or m]; name: theta, heading or length.

    No heading is counted where the reference of theta is below 3 deg: a tether that hangs down leans nowhere.
    """
    time, done, wanted = followed(log)
    which = FOLLOWED.index(name)
    error = (done - wanted)[:, which]
    if name != "heading":
        return time, error
    counted = wanted[:, 0] >= LEANS
    if not counted.any():
        raise MissingError("the tether shall never lean")
    return time[counted], error[counted]


def error_max(log: Log, name: str) -> float:
    """max |E|."""
    return float(np.abs(tracking(log, name)[1]).max())


def error_deviation(log: Log, name: str) -> float:
    """Standard deviation of |E|."""
    return float(np.abs(tracking(log, name)[1]).std())


def error_rms(log: Log, name: str) -> float:
    """E_a, Eq. (12): the root of the mean square of E."""
    return float(np.sqrt(np.mean(tracking(log, name)[1] ** 2)))


def half_turn(angle: Array) -> Array:
    """The same angle within half a turn of zero [deg]."""
    return np.asarray((angle + 180.0) % 360.0 - 180.0)


def pitch(log: Log) -> tuple[Array, Array]:
    """Times (n,) [s] and the pitch of the robot, (n,) [deg]: theta + phi where it looks along its tether."""
    time, w, x, y, z = rows(log, "robot", "time_s", "qw", "qx", "qy", "qz").T
    # heights of the forward and of the upward axis
    return time, np.degrees(np.arctan2(2.0 * (x * z - w * y), 1.0 - 2.0 * (x * x + y * y)))


def pitch_min(log: Log) -> float:
    """[deg]."""
    return float(pitch(log)[1].min())


def pitch_max(log: Log) -> float:
    """[deg]."""
    return float(pitch(log)[1].max())


def tension_max(log: Log) -> float:
    """Largest recorded tension where the tether leaves the robot [N]."""
    return float(rows(log, "robot", "tension_N").max())


def shell_contacts(log: Log) -> float:
    """How often the shell met something after it was free."""
    touching = rows(log, "robot", "shell_contacts")[:, 0] > 0.0
    return float((np.diff(touching.astype(int), prepend=0) > 0).sum())


def shell_force_max(log: Log) -> float:
    """Largest sum of what the shell is pressed with [N]."""
    return float(rows(log, "robot", "shell_N").max())


def thrust_impulse(log: Log) -> float:
    """Sum of both thrusts over time, whichever way they push [N s]."""
    time, left, right = rows(log, "robot", "time_s", "thrust_left_N", "thrust_right_N").T
    return float(np.trapezoid(np.abs(left) + np.abs(right), time))


def thrust_energy(log: Log) -> float:
    """The least work that air takes for these thrusts, T^(3/2) / sqrt(2 rho A) per propeller at rest [J]."""
    time, left, right = rows(log, "robot", "time_s", "thrust_left_N", "thrust_right_N").T
    try:
        radius = float(log.scenario["robot"]["propeller_radius_m"])
        density = float(log.scenario["world"].get("air_density_kg_per_m3", SEA_LEVEL_AIR_DENSITY))
    except (KeyError, TypeError, AttributeError):
        raise MissingError("the scenario does not tell its propellers or its air") from None
    if density <= 0.0:
        raise MissingError("there is no air")
    power = (np.abs(left) ** 1.5 + np.abs(right) ** 1.5) / math.sqrt(2.0 * density * math.pi * radius**2)
    return float(np.trapezoid(power, time))


def hanging_times(log: Log) -> dict[str, float]:
    """By name, how long the robot hung from each object that its tether touched [s], and from its anchor."""
    time, hung = hangs_from(log)
    held = np.diff(time, append=time[-1])
    return {name: float(held[there].sum()) for name, there in hung}


def hangs_from(log: Log) -> tuple[Array, list[tuple[str, NDArray[np.bool_]]]]:
    """Times (n,) [s], and by name at which of them the robot hung from an object, (n,)."""
    time, number = rows(log, "robot", "time_s", "hangs_from").T
    names = object_names(log)
    return time, [(_name(names, int(who)), number == who) for who in np.unique(number)]


def object_names(log: Log) -> list[str]:
    """Objects by their number in the column `hangs_from`: those of the world, then branches."""
    try:
        branches = [branch["name"] for branch in log.scenario["canopy"].get("branches", ())]
        return [*World.from_dict(log.scenario["world"]).names, *branches]
    except (InputError, KeyError, TypeError, AttributeError):
        return []


def _name(names: list[str], number: int) -> str:
    if number < 0:
        return "anchor"
    return names[number] if number < len(names) else f"object_{number}"
