"""Noise-free measurements of drones on a tether, made from the curve itself and from Newton's law."""

import math
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation
from scipy.stats import norm, qmc

from tetherlab.contracts.measurement import Measurement, unit_vector
from tetherlab.estimation.sensing import Sensing, SensorNoise
from tetherlab.tether.catenary import Catenary

MASS = 1.2  # of the drone [kg]
# A heavy tether with easy sensors, so that it may sag far and still be followed.
SENSING = Sensing(drone_mass=MASS, linear_density=0.08, friction=0.001)
QUIET = SensorNoise(**{name: 0.1 * value for name, value in vars(SensorNoise()).items()})
SLOPED = Rotation.from_euler("xyz", [0.3, -0.2, 0.9]).as_matrix()
EXACT = 1e-9
# Which numbers of a sample disturb what, in `disturbed`; the fifth is the heading.
SAMPLES = {
    "azimuth": (0,),
    "elevation_base": (1,),
    "attitude": (2, 3),
    "azimuth_end": (5,),
    "elevation_end": (6,),
    "length": (7,),
    "tension": (8,),
    "specific_force": (9, 10, 11),
    "thrust": (12,),
}


def scene(end, length, **others):
    """Everything that can be sensed of a tether from base to base + end with this length [m]."""
    curve = Catenary.between((0, 0, 0), end, length)
    tensions = (curve.tension(s, SENSING.linear_density, SENSING.gravity) for s in (0.0, length))
    return sensed(curve.tangent(0.0), curve.tangent(length), *tensions, length, **others)


def straight_scene(end, tension=200.0, **others):
    """The same for a tether whose weight is nothing against its tension [N]."""
    length = math.hypot(*end)
    along = np.array(end) / length
    return sensed(along, along, tension, tension, length, **others)


def sensed(
    low, high, tension, pull, length, *, base=(0, 0, 0), rotation_base=SLOPED, yaw=0.0, acceleration=(0, 0, 0)
):
    """By tangents and tensions at base and end; the drone accelerates as told, and holds its thrust to it."""
    upward = np.add(acceleration, np.array([0.0, 0.0, SENSING.gravity]))
    thrust = MASS * upward + pull * high  # the tether pulls the drone along -high
    rotation = attitude(thrust, yaw)
    return Measurement(
        time=1.0,
        length=length,
        tangent_base=rotation_base.T @ low,
        tangent_end=rotation.T @ high,
        tension=tension,
        rotation_base=rotation_base,
        rotation=rotation,
        base=np.array(base, float),
        specific_force=rotation.T @ upward,
        thrust=float(np.linalg.norm(thrust)),
    )


def attitude(thrust, yaw):
    """With z along the thrust, and turned about it."""
    z = thrust / np.linalg.norm(thrust)
    x = np.cross((0.0, 1.0, 0.0), z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z]) @ Rotation.from_euler("z", yaw).as_matrix()


def yawed(measurement, angle):
    """The whole scene, turned about the vertical through the origin."""
    turn = Rotation.from_euler("z", angle).as_matrix()
    return replace(
        measurement,
        base=turn @ measurement.base,
        rotation_base=turn @ measurement.rotation_base,
        rotation=turn @ measurement.rotation,
    )


def normals(count, dimension, seed=5):
    """Evenly spread standard normal numbers (Sobol), (count, dimension): as good as many more random ones."""
    points = qmc.Sobol(dimension, seed=seed).random(count)
    return norm.ppf(np.clip(points, 1e-12, 1 - 1e-12))


def disturbed(measurement, noise, sample, heading=0.0):
    """A measurement with noise as SensorNoise means it; sample: 13 standard normal numbers."""
    low = measurement.tangent_base_W
    azimuth = math.atan2(low[1], low[0]) + noise.azimuth * sample[0]
    elevation = math.atan2(low[2], math.hypot(low[0], low[1])) + noise.elevation_base * sample[1]
    # Roll and pitch about level axes, and the heading. The noise of the end sensor is given in the world, and
    # holds that of roll and pitch.
    tilt = (noise.attitude * sample[2], noise.attitude * sample[3], heading * sample[4])
    rotation = turn(tilt) @ measurement.rotation
    high = measurement.tangent_end_W
    sideways = np.array([-high[1], high[0], 0.0]) / math.hypot(high[0], high[1])
    high = turn(noise.elevation_end * sample[6] * sideways) @ high
    high = turn((0.0, 0.0, heading * sample[4] + noise.azimuth_end * sample[5])) @ high
    return replace(
        measurement,
        length=measurement.length + noise.length * sample[7],
        tangent_base=measurement.rotation_base.T @ unit_vector(azimuth, elevation),
        tangent_end=rotation.T @ high,
        tension=measurement.tension + noise.tension * sample[8],
        rotation=rotation,
        specific_force=measurement.specific_force + noise.specific_force * sample[9:12],
        thrust=measurement.thrust + noise.thrust * sample[12],
    )


def cross(vector):
    """The matrix of the cross product with a vector."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def turn(vector):
    """The rotation about a vector by its length [rad], by Rodrigues' formula."""
    angle, K = math.hypot(*vector), cross(vector)
    return np.eye(3) + np.sinc(angle / math.pi) * K + 0.5 * np.sinc(0.5 * angle / math.pi) ** 2 * K @ K


def assert_covariance(estimator, measurement, *, heading=0.0, whitened=False, count=1024):
    """The answer's covariance is that of answers to noisy measurements, within 3 %."""
    noise = estimator.sensing.noise
    expected = estimator.update(measurement).covariance
    answers = [
        estimator.update(disturbed(measurement, noise, sample, heading)).position
        for sample in normals(count, 13)
    ]
    measured = np.cov(np.array(answers).T)
    if whitened:  # along every direction, the surest too
        root = np.linalg.inv(np.linalg.cholesky(expected))
        assert np.allclose(root @ measured @ root.T, np.eye(3), rtol=0, atol=0.03)
    else:
        assert np.linalg.norm(measured - expected, 2) < 0.03 * np.linalg.norm(expected, 2)
