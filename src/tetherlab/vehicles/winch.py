"""A winch: motor, gear and drum on which the tether lies in layers.

The servo controls the length that is out, its speed, or the tension at the exit, all by the motor's torque
within its limits. Speed, acceleration and torque are limited as the hardware limits them; `limited` says that
they were. The encoder counts turns of the drum.
"""

import math

import numpy as np

from tetherlab.math.kernel import kernel

HOLD, SPEED, LENGTH, TENSION = 0, 1, 2, 3  # what the servo controls
SPEED_LOOP = 0.02  # time in which the motor takes up a speed that the outer loops ask for [s]

WINCH = np.dtype(
    [
        ("tether", np.int64),  # of a plant, that it pays out
        ("drum_radius", np.float64),  # bare [m]
        ("drum_width", np.float64),  # [m]
        ("tether_diameter", np.float64),  # [m]
        ("tether_density", np.float64),  # of what lies on the drum [kg/m]
        ("length_total", np.float64),  # out and on the drum [m]
        ("length_min", np.float64),  # that stays out [m]
        ("drum_inertia", np.float64),  # without tether [kg m^2]
        ("rotor_inertia", np.float64),  # of the motor [kg m^2]
        ("gear_ratio", np.float64),  # motor turns per drum turn
        ("torque_max", np.float64),  # of the motor [N m]
        ("motor_speed_max", np.float64),  # [rad/s]
        ("friction_torque", np.float64),  # at the drum [N m]
        ("speed_max", np.float64),  # of the tether [m/s]
        ("acceleration_max", np.float64),  # [m/s^2]
        ("encoder_step", np.float64),  # of the drum's angle [rad]; 0: exact
        ("length_gain", np.float64),  # speed per error of length [1/s]
        ("tension_gain", np.float64),  # speed per error of tension [m/s/N]
        ("tension_filter", np.float64),  # time constant of the tension sensor [s]
        # state
        ("length", np.float64),  # paid out [m]
        ("speed", np.float64),  # of the tether, > 0 pays out [m/s]
        ("tension", np.float64),  # at the exit, mean of the last step [N]
        ("tension_seen", np.float64),  # through the filter [N]
        ("angle", np.float64),  # of the drum since the start [rad]
        # what was done in the last step
        ("torque", np.float64),  # of the motor [N m]
        ("power", np.float64),  # of the motor, > 0 is taken from the battery [W]
        ("radius", np.float64),  # at which the tether leaves the drum [m]
        ("limited", np.int64),  # 1: speed, acceleration or torque was at its limit
    ]
)


@kernel
def drum_radius(winch):
    """At which the tether leaves the drum, level wind laying it side by side, layer on layer [m]."""
    wound = max(winch.length_total - winch.length, 0.0)
    # What lies on the drum fills the ring between bare and outer radius: pi (R^2 - r^2) width = wound d^2.
    ring = wound * winch.tether_diameter**2 / (math.pi * winch.drum_width)
    return math.sqrt(winch.drum_radius**2 + ring) + 0.5 * winch.tether_diameter


@kernel
def measured_length(winch):
    """What the encoder says is out [m]."""
    if winch.encoder_step <= 0.0:
        return winch.length
    return winch.length - (winch.angle % winch.encoder_step) * winch.radius


@kernel
def reel(winch, mode, wanted, rate, stiffness, h):
    """Speed of the tether for the next step h [m/s]: servo, motor and drum.

    mode, wanted: what the servo controls and its reference after the step, [m/s], [m] or [N].
    rate: of a wanted length, or at which the ends of a tether under tension part [m/s].
    stiffness: of the tether at the exit, with which its tension answers to paying out within the step [N/m].
    """
    winch.radius = drum_radius(winch)
    r = winch.radius
    pace = 1.0 - math.exp(-h / max(winch.tension_filter, 1e-9))
    winch.tension_seen += pace * (winch.tension - winch.tension_seen)
    top = min(winch.speed_max, winch.motor_speed_max / winch.gear_ratio * r)
    aim, limited = 0.0, False
    if mode == SPEED:
        aim = wanted
    elif mode == LENGTH:
        error = wanted - h * rate - measured_length(winch)
        # Brake in time: no faster than what the acceleration can stop within the error.
        stop = math.sqrt(2.0 * 0.8 * winch.acceleration_max * abs(error))
        aim = rate + min(max(winch.length_gain * error, -stop), stop)
        limited = abs(rate + winch.length_gain * error) > top
    elif mode == TENSION:
        aim = rate + winch.tension_gain * (winch.tension_seen - wanted)
    limited = limited or abs(aim) > top
    aim = min(max(aim, -top), top)
    if mode == LENGTH:
        aim = winch.speed + (aim - winch.speed) * h / (h + SPEED_LOOP)
    step = winch.acceleration_max * h
    if abs(aim - winch.speed) > step:
        limited = limited or mode != LENGTH or abs(aim - winch.speed) > 2.0 * step
        aim = winch.speed + math.copysign(step, aim - winch.speed)
    # Neither more than there is, nor less than stays out.
    least = (winch.length_min - winch.length) / h
    most = (winch.length_total - winch.length) / h
    if aim < least or aim > most:
        limited = True
        aim = min(max(aim, least), most)
    mass = winch_inertia(winch) / (r * r)
    drag = math.copysign(winch.friction_torque / r, aim) if abs(aim) > 1e-6 else 0.0
    # Tension helps to pay out; paying out lowers it within the step.
    soft = mass + stiffness * h * h
    force = soft * (aim - winch.speed) / h - winch.tension + drag
    top_force = winch.torque_max * winch.gear_ratio / r
    if abs(force) > top_force:
        limited = True
        force = min(max(force, -top_force), top_force)
        # Friction brakes what comes of it, and at most stops it.
        free = winch.speed + h * (force + winch.tension) / soft
        brake = min(h * winch.friction_torque / (r * soft), abs(free))
        aim = min(max(free - math.copysign(brake, free), least), most)
    winch.torque = force * r / winch.gear_ratio
    winch.power = force * aim
    winch.limited = 1 if limited else 0
    winch.speed = aim
    return aim


@kernel
def winch_inertia(winch):
    """Of all that turns with the drum, at the drum [kg m^2]."""
    wound = max(winch.length_total - winch.length, 0.0)
    ring = 0.5 * (winch.drum_radius**2 + winch.radius**2)
    return (
        winch.drum_inertia + winch.rotor_inertia * winch.gear_ratio**2 + winch.tether_density * wound * ring
    )


@kernel
def turn_drum(winch, h, tension):
    """After the step: what went out, and the tension that pulled."""
    winch.length += h * winch.speed
    winch.angle += h * winch.speed / winch.radius
    winch.tension = tension
