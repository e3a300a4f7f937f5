"""A flight of which every number is drawn from the model that the filter believes in."""

import math

import numpy as np
from scipy.linalg import expm

from tetherlab.estimation import Measurement, Sensing
from tetherlab.estimation import filter_layout as K
from tetherlab.estimation.filter_kernel import DETOUR
from tetherlab.sensors.hanging import BASE, END, LENGTH, LOG_TENSION, read_hanging

UP = np.array([0.0, 0.0, 1.0])


def path(time, phase):
    """Position, velocity, acceleration [m, s], (3,) each: a smooth closed curve."""
    p, v, a = np.zeros(3), np.zeros(3), np.zeros(3)
    for axis, (size, rate) in enumerate(((1.4, 0.5), (1.2, 0.7), (0.5, 0.4))):
        angle = rate * time + phase[axis]
        p[axis], v[axis] = size * math.sin(angle), size * rate * math.cos(angle)
        a[axis] = -size * rate**2 * math.sin(angle)
    p += (0.3, -0.2, 2.5)
    return p, v, a


def fly(filter_, sensing: Sensing, spec, seed, duration=30.0, dt=0.005, sensor_every=4, late=None):
    """Feed a filter; yields (truth, estimate) after each set of tether readings.

    late: (time -> delay [s]) of the tether's messages, or None. Waves of the tether are those that the filter
    is told of: what each angle and the length are off by swings, damped, with such a period.
    """
    rng = np.random.default_rng(seed)
    noise = sensing.noise
    phase = rng.uniform(0, 2 * math.pi, 3)
    bias = np.array(spec.bias) * rng.standard_normal(5)
    force_bias, rate_bias = spec.force_bias * rng.standard_normal(3), spec.rate_bias * rng.standard_normal(3)
    log_b = math.log(0.12) + 0.2 * rng.standard_normal()
    heading = 0.4 * rng.standard_normal()
    steps = round(duration / dt)
    memory = math.exp(-dt / spec.bias_time)
    out, jacobian = np.zeros(8), np.zeros((8, 4))
    queue = []
    waves = Waves(spec, sensor_every * dt, rng) if spec.swing + spec.astray > 0.0 else None
    rotation = _attitude(path(0.0, phase)[2], heading, sensing.gravity)
    for step in range(steps):
        time = step * dt
        p, v, _ = path(time, phase)
        following = _attitude(
            path(time + dt, phase)[2], heading + 0.1 * math.sin(0.3 * time), sensing.gravity
        )
        rates = _log(rotation.T @ following) / dt
        middle = path(time + 0.5 * dt, phase)[2]
        force = rotation.T @ (middle + sensing.gravity * UP)
        message = Measurement(
            time=time,
            specific_force=force + force_bias + noise.specific_force * rng.standard_normal(3),
            angular_velocity=rates + rate_bias + noise.angular_velocity * rng.standard_normal(3),
        )
        queue.append((time, message))
        if step % sensor_every == 0:
            end = p + rotation @ np.array(spec.attachment)
            read_hanging(*end, math.exp(log_b), out, jacobian)
            lag = min(sensing.friction / (sensing.weight * math.exp(out[LOG_TENSION])), 1.0) / math.sqrt(3.0)
            wave = np.zeros(5) if waves is None else waves.next()
            turns = math.hypot(spec.swing, spec.astray / out[LENGTH]) * wave[:4]
            detour = DETOUR * spec.astray**2 / out[LENGTH] * wave[4]
            base = _noisy(
                out[BASE : BASE + 3], bias[:2], turns[:2], (noise.azimuth, noise.elevation_base), lag, rng
            )
            tangent = rotation.T @ out[END : END + 3]
            drone = _noisy(tangent, bias[2:4], turns[2:], (noise.azimuth_end, noise.elevation_end), lag, rng)
            tension = sensing.weight * math.exp(out[LOG_TENSION]) + noise.tension * rng.standard_normal()
            message = Measurement(
                time=time,
                length=out[LENGTH] + bias[4] + detour + noise.length * rng.standard_normal(),
                tangent_base=base,
                tangent_end=drone,
                tension=tension,
                rotation=rotation,
            )
            queue.append((time + (0.0 if late is None else late(time)), message))
        queue.sort(key=lambda item: item[0])
        while queue and queue[0][0] <= time:
            estimate = filter_.update(queue.pop(0)[1])
        truth = np.concatenate([p, v, rotation.ravel(), force_bias, rate_bias, [log_b], bias])
        if step % sensor_every == 0:
            yield truth, estimate
        rotation = following
        log_b += spec.tension_walk * math.sqrt(dt) * rng.standard_normal()
        kick = math.sqrt(1.0 - memory**2)
        bias = memory * bias + kick * np.array(spec.bias) * rng.standard_normal(5)
        force_bias = force_bias + spec.force_walk * math.sqrt(dt) * rng.standard_normal(3)
        rate_bias = rate_bias + spec.rate_walk * math.sqrt(dt) * rng.standard_normal(3)


class Waves:
    """Five oscillators of unit variance that noise keeps going; half a period is about their memory."""

    def __init__(self, spec, dt, rng):
        rate, damping = math.pi / spec.swing_time, 0.7
        self.rng, spread = rng, np.diag([1.0, rate**2])
        self.step = expm(np.array([[0.0, 1.0], [-(rate**2), -2.0 * damping * rate]]) * dt)
        self.kick = np.linalg.cholesky(spread - self.step @ spread @ self.step.T)
        self.state = np.sqrt(spread) @ rng.standard_normal((2, 5))

    def next(self):
        self.state = self.step @ self.state + self.kick @ self.rng.standard_normal((2, 5))
        return self.state[0]


def error(truth, state):
    """What the filter's covariance is about, (21,)."""
    rotation, believed = truth[6:15].reshape(3, 3), state[K.R : K.R + 9].reshape(3, 3)
    turn = _log(believed.T @ rotation)
    rest = truth[15:] - state[K.FORCE_BIAS : K.READING_BIAS + 5]
    return np.concatenate([truth[:6] - state[:6], turn, rest])


def _attitude(acceleration, heading, gravity):
    """z along the thrust that such an acceleration takes."""
    z = acceleration + gravity * UP
    z = z / np.linalg.norm(z)
    x = np.array([math.cos(heading), math.sin(heading), 0.0])
    y = np.cross(z, x)
    y /= np.linalg.norm(y)
    return np.column_stack([np.cross(y, z), y, z])


def _log(rotation):
    angle = math.acos(min(max((np.trace(rotation) - 1) / 2, -1.0), 1.0))
    factor = 0.5 if angle < 1e-7 else angle / (2 * math.sin(angle))
    r = rotation
    return factor * np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])


def _noisy(tangent, bias, turns, noise, lag, rng):
    flat = math.hypot(tangent[0], tangent[1])
    azimuth, elevation = math.atan2(tangent[1], tangent[0]), math.atan2(tangent[2], flat)
    azimuth += bias[0] + turns[0] / flat
    azimuth += noise[0] * rng.standard_normal() + lag / flat * rng.standard_normal()
    elevation += bias[1] + turns[1] + noise[1] * rng.standard_normal() + lag * rng.standard_normal()
    c = math.cos(elevation)
    return np.array([c * math.cos(azimuth), c * math.sin(azimuth), math.sin(elevation)])
