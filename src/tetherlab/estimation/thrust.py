"""The position along a straight tether whose direction the drone feels (method of Al-Radaideh and Sun)."""

import math

import numpy as np

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import Estimate, EstimateStatus
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.assumptions import bend_by_tension, doubt_line
from tetherlab.estimation.sensing import Sensing

FELT = 4.0  # standard deviations by which the tether must pull before it has a direction


class ThrustLocalizer:
    """Of the forces on the drone, the tether's is what accelerometer and thrust leave over.

    m a = thrust e_z + m g + F, and the accelerometer reads f = a − g, so F = m f − thrust e_z in the frame of
    the drone: gravity has gone. The tether pulls along −F, straight to the base. Air drag counts as tether.
    heading_deviation: of the autopilot's heading [rad].
    """

    def __init__(self, sensing: Sensing | None = None, *, heading_deviation: float = 0.0) -> None:
        self.sensing = Sensing() if sensing is None else sensing
        if math.isnan(self.sensing.drone_mass):
            raise InputError("ThrustLocalizer needs the mass of the drone: Sensing(drone_mass=...) [kg]")
        self.heading_deviation = check.non_negative("heading_deviation", heading_deviation)

    def update(self, measurement: Measurement) -> Estimate:
        """Where the drone is, by this measurement alone."""
        felt, thrust, length = measurement.specific_force, measurement.thrust, measurement.length
        if felt is None or math.isnan(thrust) or not length > 0.0:
            return Estimate.nothing(measurement.time, EstimateStatus.MISSING)
        noise, mass = self.sensing.noise, self.sensing.drone_mass
        R = measurement.rotation
        force = R @ (mass * felt) - thrust * R[:, 2]
        tension = math.sqrt(force @ force)
        # of the force: m² σ_f² I + σ_T² e_z e_zᵀ
        force_covariance = (mass * noise.specific_force) ** 2 * np.eye(3)
        force_covariance += noise.thrust**2 * np.outer(R[:, 2], R[:, 2])
        worst = math.hypot(mass * noise.specific_force, noise.thrust)
        if tension <= FELT * worst:
            return Estimate.nothing(measurement.time, EstimateStatus.SLACK)
        t = -force / tension
        across = np.eye(3) - np.outer(t, t)
        # δt = −(I − t tᵀ) δF/T + δθ × t, with δθ of roll and pitch level, of heading upright
        turn = np.array([[0.0, t[2], -t[1]], [-t[2], 0.0, t[0]], [t[1], -t[0], 0.0]])
        tilt = np.diag([noise.attitude**2, noise.attitude**2, self.heading_deviation**2])
        turning = across @ force_covariance @ across / tension**2 + turn @ tilt @ turn.T
        covariance = length**2 * turning + noise.length**2 * np.outer(t, t)

        line = length * t
        bend = bend_by_tension(length, tension, math.asin(max(-1.0, min(1.0, t[2]))), self.sensing)
        deviation = math.sqrt(np.linalg.eigvalsh(turning)[-1])
        status = doubt_line(measurement, self.sensing, line, bend, deviation)
        return Estimate(measurement.time, measurement.base + line, covariance, status)

    def reset(self) -> None:
        """Nothing is remembered."""
