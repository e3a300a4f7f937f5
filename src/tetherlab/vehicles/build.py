"""From what a user describes to the records of a vehicle."""

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import plain
from tetherlab.math.record import make_records
from tetherlab.vehicles.linkage import actuator_length
from tetherlab.vehicles.platform import PLATFORM, WORD
from tetherlab.vehicles.quadrotor import QUADROTOR, fill_allocation
from tetherlab.vehicles.rover import ROVER
from tetherlab.vehicles.spec import LevellerSpec, QuadrotorSpec, RoverSpec, WinchSpec
from tetherlab.vehicles.winch import WINCH

Vector = NDArray[np.float64]
FOOT_STIFFNESS = 1e5  # of the feet of a drone by itself, at least [N/m]


def fill_quadrotor_body(row: np.void, spec: QuadrotorSpec, place: Vector, R_WB: Vector) -> None:
    """The body of a drone whose centre is at `place`."""
    count = len(spec.feet)
    row["mass"] = spec.mass
    row["inertia_B"] = np.diag(spec.inertia)
    row["attachment_B"] = spec.attachment
    row["p_W"] = place
    row["R_WB"] = row["R_next"] = R_WB
    row["point_count"] = count
    row["point_B"][:count] = spec.feet[:, :3]
    row["point_radius"][:count] = spec.feet[:, 3]
    row["friction"] = spec.friction
    row["stiffness"] = FOOT_STIFFNESS


def fill_rover_body(row: np.void, rover: RoverSpec, place: Vector, R_WB: Vector) -> None:
    """The body of a rover whose origin is at `place`."""
    count, shell = len(rover.wheel_positions), np.asarray(rover.shell, float).reshape(-1, 4)
    row["mass"] = rover.mass
    row["inertia_B"] = np.diag(rover.inertia)
    row["p_W"] = place + R_WB @ rover.center_of_mass
    row["R_WB"] = row["R_next"] = R_WB
    row["point_count"] = count + len(shell)
    row["point_B"][:count] = rover.wheel_positions - rover.center_of_mass
    row["point_radius"][:count] = rover.wheel_radius
    row["point_B"][count : count + len(shell)] = shell[:, :3] - rover.center_of_mass
    row["point_radius"][count : count + len(shell)] = shell[:, 3]
    row["friction"] = rover.friction
    row["stiffness"] = rover.tyre_stiffness


def make_quadrotor(spec: QuadrotorSpec, air_density: float) -> NDArray[np.void]:
    """Rotors and autopilot, (1,) of QUADROTOR."""
    row = make_records(1, QUADROTOR)
    n = len(spec.rotor_positions)
    row["rotor_count"] = n
    row["rotor_B"][0, :n] = spec.rotor_positions
    row["direction"][0, :n] = spec.rotor_directions
    for name in (
        "thrust_coefficient", "torque_coefficient", "rotor_radius", "speed_min", "speed_max", "time_constant",
        "attitude_gain", "rate_gain", "yaw_gain", "yaw_rate_gain", "tilt_max",
    ):  # fmt: skip
        row[name] = getattr(spec, name)
    row["drag_linear_B"] = spec.drag_linear
    row["drag_quadratic"] = 0.5 * air_density * spec.drag_area
    fill_allocation(row[0])
    return row


def make_rover(spec: RoverSpec) -> NDArray[np.void]:
    """Wheels, (1,) of ROVER."""
    row = make_records(1, ROVER)
    n = len(spec.wheel_positions)
    row["wheel_count"] = n
    row["wheel_B"][0, :n] = spec.wheel_positions - spec.center_of_mass
    for name in (
        "wheel_radius", "wheel_inertia", "wheel_speed_max", "wheel_torque_max", "rolling_resistance",
        "steering_angle_max", "steering_rate_max",
    ):  # fmt: skip
        row[name] = getattr(spec, name)
    row["steers"] = int(spec.steers)
    row["half_track"] = float(np.abs(spec.wheel_positions[:, 1]).mean())
    return row


def make_platform(spec: LevellerSpec | None, center_of_mass: Vector, seed: int = 0) -> NDArray[np.void]:
    """The platform with its deck parallel to the rover, (1,) of PLATFORM; None: a deck that is fixed."""
    row = make_records(1, PLATFORM)
    row["R_BP"] = np.eye(3)
    if spec is None:
        return row
    for name in (
        "length_min", "stroke_max", "speed_max", "speed_loaded", "force_max", "time_constant", "mass",
        "filter_time", "noise", "gain", "integral_gain", "rate_gain", "dead_band",
    ):  # fmt: skip
        row[name] = getattr(spec, name)
    row["present"] = row["powered"] = 1
    row["joint_B"] = spec.joint - center_of_mass
    row["top_P"] = spec.actuator_tops - spec.joint
    row["foot_B"] = spec.actuator_feet - spec.joint
    row["center_P"], row["sensor_B"] = spec.center - spec.joint, spec.sensor - center_of_mass
    row["period"], row["bias_P"] = 1.0 / spec.rate_hz, spec.bias
    row["random"] = (seed * 2654435761) % WORD
    for i in range(2):
        length, _, _ = plain(actuator_length)(row["top_P"][0, i], row["foot_B"][0, i], 0.0, 0.0)
        row["stroke"][0, i] = length - spec.length_min
        if not 0.0 < length - spec.length_min < spec.stroke_max:
            least, most = spec.length_min, spec.length_min + spec.stroke_max
            raise InputError(
                f"an actuator of the platform is {least:g} to {most:g} m long, but with the deck parallel to "
                f"the rover its ends are {length:g} m apart"
            )
    return row


def make_winch(
    spec: WinchSpec,
    *,
    tether_diameter: float,
    tether_density: float,
    length: float,
    length_min: float,
    paid_out: float,
) -> NDArray[np.void]:
    """Motor and drum, (1,) of WINCH. length: of the whole tether, length_min: what stays out [m]."""
    row = make_records(1, WINCH)
    for name in (
        "drum_radius", "drum_width", "drum_inertia", "rotor_inertia", "gear_ratio", "torque_max",
        "motor_speed_max", "speed_max", "acceleration_max", "friction_torque", "length_gain", "tension_gain",
        "tension_filter",
    ):  # fmt: skip
        row[name] = getattr(spec, name)
    row["encoder_step"] = 2.0 * math.pi / spec.encoder_counts if spec.encoder_counts else 0.0
    row["tether_diameter"] = tether_diameter
    row["tether_density"] = tether_density
    row["length_total"] = length
    row["length_min"] = length_min
    row["length"] = paid_out
    row["radius"] = spec.drum_radius
    return row
