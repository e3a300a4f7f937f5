"""From the section `localisation` of a scenario to sensors and an estimator that fly its drone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.estimate import Tracker
from tetherlab.estimation.build import Setup, build_estimator
from tetherlab.estimation.filter import FilterSpec, TetherInertialFilter
from tetherlab.estimation.gather import Gathered
from tetherlab.estimation.residual import LearnedResidual
from tetherlab.estimation.sensing import Sensing, SensorNoise
from tetherlab.estimation.smoothed import Smoothed
from tetherlab.estimation.sparse_gp import SparseGp
from tetherlab.scenario.localisation import Localisation
from tetherlab.scenario.scenario import Scenario
from tetherlab.sensors.suite import SensorSuite
from tetherlab.sim.navigation import Navigator

# Errors that stay after calibration, besides those that change with the direction.
BIAS_BASE, BIAS_DRONE = 0.003, 0.01  # of angles; at the drone with its attitude's [rad]
BIAS_LENGTH = 0.005  # [m]


def build_navigator(scenario: Scenario) -> Navigator | None:
    """What finds the drone's position; None: nobody has to."""
    chosen = scenario.localisation
    if chosen is None:
        return None
    suite = SensorSuite(chosen.sensors.suite(scenario.world.gravity), scenario.seed)
    for fault in chosen.faults:
        suite.inject(fault.sensor, fault.fault)
    world, down = scenario.world, np.array([0.0, 0.0, -1.0])

    def altitude(position: NDArray[np.float64]) -> float:
        if chosen.sensors.altimeter is None:
            return float("nan")
        return float(world.raycast(position, down, 100.0))

    return Navigator(
        suite,
        scenario_estimator(scenario, chosen),
        attachment=np.array(scenario.uav.robot.attachment),
        altitude=altitude,
        gravity=world.gravity,
        rate_hz=chosen.sensors.rate,
        in_loop=chosen.in_loop,
        on_fault=chosen.on_fault,
    )


def scenario_estimator(scenario: Scenario, chosen: Localisation) -> Tracker:
    """The estimator that a scenario asks for, with a velocity whatever the method."""
    sensing = scenario_sensing(scenario, chosen)
    learned = None
    if chosen.model is not None:
        learned = LearnedResidual.of_catenary(sensing, SparseGp.load(chosen.model))
    if chosen.method == "ekf":
        return TetherInertialFilter(sensing, scenario_filter(scenario, chosen), learned)
    if learned is not None:
        return Smoothed(Gathered(learned), sensing)
    return Smoothed(build_estimator(chosen.method, Setup(sensing)), sensing)


def scenario_filter(scenario: Scenario, chosen: Localisation, **changes: Any) -> FilterSpec:
    """How the filter is set up for the sensors of a scenario: it knows how well they are calibrated."""
    base, drone = chosen.sensors.base_angles, chosen.sensors.drone_angles
    bias = (*(math.hypot(BIAS_BASE, base.bias_field),) * 2, *(math.hypot(BIAS_DRONE, drone.bias_field),) * 2)
    settings: dict[str, Any] = {
        "attachment": scenario.uav.robot.attachment,
        "imu_rate": chosen.sensors.imu.rate,
        "angle_rate": base.rate,
        "bias": (*bias, BIAS_LENGTH),
    }
    return FilterSpec(**(settings | changes))


def scenario_sensing(scenario: Scenario, chosen: Localisation) -> Sensing:
    """What an estimator knows of a scenario beforehand."""
    sensors = chosen.sensors
    base, drone = sensors.base_angles, sensors.drone_angles
    across, lift = base.azimuth_noise, base.elevation_noise
    if base.mounting == "lying":  # its axes move the tangent to all sides
        across = lift = max(across, lift)
    return Sensing(
        linear_density=scenario.tether.linear_density,
        axial_stiffness=scenario.tether.axial_stiffness,
        gravity=scenario.world.gravity,
        ground=scenario.ugv.start[2],
        drone_mass=scenario.uav.robot.mass,
        friction=max(base.friction, drone.friction),
        angle_bias=max(base.bias_field, drone.bias_field),
        noise=SensorNoise(
            azimuth=across,
            elevation_base=lift,
            azimuth_end=drone.azimuth_noise,
            elevation_end=drone.elevation_noise,
            length=max(sensors.length.noise, 0.5 / sensors.length.counts_per_metre),
            tension=max(sensors.tension.noise, 0.3),  # it lags behind a tension that changes
            specific_force=sensors.imu.force_noise,
            angular_velocity=sensors.imu.rate_noise,
            thrust=sensors.imu.thrust_noise,
            attitude=max(sensors.attitude.tilt_wander, 0.005),
        ),
    )
