"""Robots, tethers and winches that were given as specs, in the words of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tetherlab.contracts.errors import InputError
from tetherlab.scenario.avocado import WRITTEN
from tetherlab.scenario.line import MATERIAL, TetherMaterial, WinchSection
from tetherlab.scenario.parts import load_robot, load_winch
from tetherlab.scenario.quantity import in_degrees
from tetherlab.scenario.section import Section
from tetherlab.tether.spec import TetherSpec
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec, WinchSpec


def written_robot(name: str, robot: Any) -> dict[str, Any]:
    """The written form of a robot: a name, a file, a section of a file or a spec."""
    if isinstance(robot, (str, Path)):
        robot = load_robot(robot)
    if isinstance(robot, Section):
        return _dumped(robot)
    if isinstance(robot, AvocadoRobotSpec):
        return {"type": "avocado", **{key: getattr(robot, field) for field, key in WRITTEN.items()}}
    if isinstance(robot, QuadrotorSpec):
        return _quadrotor(name, robot)
    assert isinstance(robot, RoverSpec)
    return _rover(name, robot)


def written_tether(spec: TetherSpec) -> dict[str, Any]:
    """The written form of a material."""
    fields = TetherMaterial.model_fields
    values = {str(field.alias): getattr(spec, name) for name, field in fields.items()}
    return {key: values[key] for key in MATERIAL if np.isfinite(values[key])}


def written_winch(winch: Any) -> dict[str, Any]:
    """The written form of a winch: a name, a file, a section of a file or a spec."""
    if isinstance(winch, (str, Path)):
        winch = load_winch(winch)
    if isinstance(winch, WinchSection):
        return _dumped(winch)
    assert isinstance(winch, WinchSpec)
    return {
        "exit_m": _list(winch.exit),
        "drum_radius_m": winch.drum_radius,
        "drum_width_m": winch.drum_width,
        "drum_inertia_kg_m2": winch.drum_inertia,
        "motor_inertia_kg_m2": winch.rotor_inertia,
        "gear_ratio": winch.gear_ratio,
        "motor_torque_max_N_m": winch.torque_max,
        "motor_speed_max_rad_per_s": winch.motor_speed_max,
        "reel_speed_max_m_per_s": winch.speed_max,
        "reel_acceleration_max_m_per_s2": winch.acceleration_max,
        "encoder_counts_per_turn": winch.encoder_counts,
        "friction_torque_N_m": winch.friction_torque,
        "control": {
            "length_gain_per_s": winch.length_gain,
            "tension_gain_m_per_N_s": winch.tension_gain,
            "tension_filter_s": winch.tension_filter,
        },
    }


def _quadrotor(name: str, spec: QuadrotorSpec) -> dict[str, Any]:
    feet = np.asarray(spec.feet)
    if len(set(feet[:, 3].tolist())) > 1:
        raise InputError(f"robot {name!r} has feet of different radii, which a file cannot hold")
    return {
        "type": "quadrotor",
        "mass_kg": spec.mass,
        "inertia_kg_m2": _list(spec.inertia),
        "attachment_m": _list(spec.attachment),
        "rotors": [
            {"position_m": _list(place), "direction": int(direction)}
            for place, direction in zip(spec.rotor_positions, spec.rotor_directions, strict=True)
        ],
        "rotor_radius_m": spec.rotor_radius,
        "rotor_thrust_coefficient_N_s2": spec.thrust_coefficient,
        "rotor_torque_coefficient_N_m_s2": spec.torque_coefficient,
        "rotor_speed_min_rad_per_s": spec.speed_min,
        "rotor_speed_max_rad_per_s": spec.speed_max,
        "rotor_time_constant_s": spec.time_constant,
        "drag_linear_N_s_per_m": _list(spec.drag_linear),
        "drag_area_m2": spec.drag_area,
        "feet_m": feet[:, :3].tolist(),
        "foot_radius_m": float(feet[0, 3]),
        "foot_friction": spec.friction,
        "hull": _spheres(spec.hull),
        "autopilot": {
            "attitude_gain_per_s2": spec.attitude_gain,
            "rate_gain_per_s": spec.rate_gain,
            "yaw_gain_per_s2": spec.yaw_gain,
            "yaw_rate_gain_per_s": spec.yaw_rate_gain,
            "tilt_max_deg": in_degrees(spec.tilt_max),
        },
    }


def _rover(name: str, spec: RoverSpec) -> dict[str, Any]:
    if spec.deck_lower is None or spec.deck_upper is None or len(spec.shell) or spec.leveller is not None:
        raise InputError(
            f"robot {name!r}: a file holds a ground robot with a deck, without a shell and a leveller"
        )
    deck: dict[str, Any] = {
        "lower_m": _list(spec.deck_lower), "upper_m": _list(spec.deck_upper), "friction": spec.deck_friction
    }  # fmt: skip
    if spec.depression is not None:
        keys = ("floor_radius_m", "rim_radius_m", "depth_m")
        deck["depression"] = dict(zip(keys, _list(spec.depression), strict=True))
    written: dict[str, Any] = {
        "type": "ground_robot",
        "mass_kg": spec.mass,
        "inertia_kg_m2": _list(spec.inertia),
        "center_of_mass_m": _list(spec.center_of_mass),
        "drive": "four_wheel_steer" if spec.steers else "differential",
        "wheels_m": _list(spec.wheel_positions),
        "wheel_radius_m": spec.wheel_radius,
        "wheel_inertia_kg_m2": spec.wheel_inertia,
        "wheel_speed_max_rad_per_s": spec.wheel_speed_max,
        "wheel_torque_max_N_m": spec.wheel_torque_max,
        "steering_angle_max_deg": in_degrees(spec.steering_angle_max),
        "steering_rate_max_deg_per_s": in_degrees(spec.steering_rate_max),
        "tyre_friction": spec.friction,
        "tyre_stiffness_N_per_m": spec.tyre_stiffness,
        "rolling_resistance": spec.rolling_resistance,
        "hull": _spheres(spec.hull),
        "platform": deck,
    }
    if spec.chassis_lower is not None and spec.chassis_upper is not None:
        written["chassis"] = {"lower_m": _list(spec.chassis_lower), "upper_m": _list(spec.chassis_upper)}
    return written


def _dumped(section: Section) -> dict[str, Any]:
    result: dict[str, Any] = section.model_dump(mode="json", by_alias=True, exclude_none=True)
    return result


def _list(values: Any) -> Any:
    return np.asarray(values, float).tolist()


def _spheres(rows: Any) -> list[dict[str, Any]]:
    return [{"center_m": row[:3], "radius_m": row[3]} for row in _list(rows)]
