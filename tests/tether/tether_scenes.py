"""Tethers that the tests share, and what is read off them by plain NumPy."""

import math

import numpy as np

import tetherlab as tl

SLACK = {"base": (0, 0, 0), "end": (2, 0, 0), "length": 3.0}


def make_spec(**changes):
    """A tether of 50 g/m without drag, so that mechanics stand alone."""
    values = {
        "linear_density": 0.05,
        "diameter": 0.008,
        "drag_coefficient": 0.0,
        "drag_coefficient_tangential": 0.0,
    }
    return tl.TetherSpec(**{**values, **changes})


def leaning_line(angle, length=3.0, **options):
    """A straight tether from the origin, leaning from the downward vertical towards +x; its end is held."""
    spec = options.pop("spec", None) or make_spec()
    end = (length * math.sin(angle), 0.0, -length * math.cos(angle))
    return tl.Tether(spec, base=(0.0, 0.0, 0.0), end=end, length=length, **options)


def run(tether, duration, dt=0.01, **command):
    """Step with a constant command; returns the last forces."""
    forces = None
    for _ in range(round(duration / dt)):
        forces = tether.step(dt, **command)
    return forces


def node_masses(tether):
    """Of a tether that was never reeled, so that all elements are equally long [kg], (n,)."""
    count = len(tether.nodes) - 1
    masses = np.full(count + 1, tether.spec.linear_density * tether.length / count)
    masses[[0, -1]] *= 0.5
    return masses


def momentum(tether):
    """Of the nodes, bodies not included [N s], (3,)."""
    return node_masses(tether) @ tether.velocities


def book(tether):
    """What stays constant: energy now, plus what was lost, less what was put in [J]."""
    energy = tether.energy
    return energy.total + energy.dissipated - energy.work - energy.work_winch


def observed_order(sizes, errors):
    """Slope of the error over the size of steps or elements."""
    return np.polyfit(np.log(sizes), np.log(errors), 1)[0]


def mean_period(times, values):
    """Mean distance of upward zero crossings, by linear interpolation [s]."""
    times, values = np.asarray(times), np.asarray(values)
    up = np.flatnonzero((values[:-1] < 0.0) & (values[1:] >= 0.0))
    share = -values[up] / (values[up + 1] - values[up])
    crossings = times[up] + share * (times[up + 1] - times[up])
    return (crossings[-1] - crossings[0]) / (len(crossings) - 1)


def circle(k):
    """A prescribed end that goes round once in 1.26 s."""
    a = 0.05 * (k + 1)
    return {
        "end": (2.0 + 0.5 * math.sin(a), 0.5 * (1.0 - math.cos(a)), 0.0),
        "end_velocity": (2.5 * math.cos(a), 2.5 * math.sin(a), 0.0),
    }
