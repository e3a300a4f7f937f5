"""AVOCADO flown on its analytic model, sensed, and estimated."""

import math
from typing import NamedTuple

import numpy as np

from tetherlab.estimation.avocado import NAMES, AvocadoEstimator
from tetherlab.sensors.avocado_suite import AvocadoSensors, AvocadoSensorSpec
from tetherlab.sensors.avocado_truth import truth_of
from tetherlab.sensors.tracking_camera import TrackingCameraSpec
from tetherlab.vehicles import avocado
from tetherlab.vehicles.avocado.caught import move_anchor

SPEC = avocado.AvocadoSpec()
UNPLACED = AvocadoSensorSpec(camera=TrackingCameraSpec(position=False))
HOLD, TICK = 0.01, 0.005
THRUSTS = np.linspace(0.0, 5.0, 201)
ANGLES = np.array([avocado.equilibrium(SPEC, thrust).theta for thrust in THRUSTS])


class Flight(NamedTuple):
    """What truly happened."""

    truths: list  # at each tick
    states: (
        np.ndarray
    )  # at each hold, `distance` the free length and `tether_length` all that is out, (n, 11)
    commands: list  # held before each hold
    contact: float  # when a branch caught the tether [s], nan if none did


def pitch_to(reference, heading=None):
    """A controller to tilt the tether to reference(time) and to face heading(time) [rad]."""

    def control(time, state):
        wanted = reference(time)
        thrust = np.interp(wanted, ANGLES, THRUSTS) + 4.0 * (wanted - state.theta) - 2.5 * state.theta_rate
        thrust = float(np.clip(thrust, 0.05, 5.0))
        if heading is None:
            return avocado.AvocadoCommand(thrust=thrust)
        damped = 0.5 * state.heading_rate * min(1.0, abs(state.theta) / 0.1)
        turn = np.clip(heading(time) - state.heading - state.psi - damped, -1.0, 1.0)
        torque = 0.03 * (turn - state.heading_rate * math.cos(state.theta) - state.psi_rate)
        limit = min(0.05, thrust * SPEC.motor_arm)
        return avocado.AvocadoCommand(thrust=thrust, torque=float(np.clip(torque, -limit, limit)))

    return control


def ordinary(seed, turning=True):
    """Tilts between 5 and 25 degrees and slow turns of the heading, another every two seconds."""
    random = np.random.default_rng(seed)
    tilts, headings = np.radians(random.uniform(5.0, 25.0, 200)), random.uniform(-0.5, 0.5, 200)

    def passing(values, time):
        i = int(time / 2.0)
        share = min(1.0, (time - 2.0 * i) / 1.5)
        return values[i] if i == 0 else share * values[i] + (1.0 - share) * values[i - 1]

    turn = (lambda time: passing(headings, time)) if turning else None
    return pitch_to(lambda time: passing(tilts, time), turn)


def fly(state, control, duration, *, free=None, angle=0.0, side=1.0, spec=SPEC):
    """free: length [m] that is left when theta passes an angle [rad], upwards (side 1) or downwards (-1)."""
    truths, states, commands, contact, held = [], [], [], math.nan, 0.0
    command = avocado.AvocadoCommand()

    def see(time, now, tension):
        anchor = held * np.array([math.sin(angle), 0.0, -math.cos(angle)])
        truth = truth_of(time, now, tension=tension, anchor=anchor)
        truths.append(truth._replace(length=truth.length + held))

    tension = SPEC.weight
    for k in range(round(duration / HOLD)):
        time = k * HOLD
        see(time, state, tension)
        row = [getattr(state, name) for name in NAMES]
        row[1] += held
        states.append(row)
        commands.append(command)
        command = control(time, state)
        rows = np.tile([command.reel_speed, command.thrust, command.torque], (2, 1))
        run = avocado.simulate(spec, state, rows, HOLD, hold=TICK)
        see(time + TICK, run.state(1), run.tension[1])
        before, state, tension = state, run.state(2), run.tension[2]
        if (
            free is not None
            and held == 0.0
            and side * (before.theta - angle) < 0.0 <= side * (state.theta - angle)
        ):
            held, contact = state.tether_length - free, time + HOLD
            state = move_anchor(state, held)
        elif held > 0.0 and side * (state.theta - angle) < 0.0:
            state, held = move_anchor(state, -held), 0.0
    return Flight(truths, np.array(states), commands, contact)


def branch_flight(free, upwards, duration=6.0):
    """As in section VI-B: 1.5 m of tether, tilted to 30 degrees, or back from there to 10, over a branch."""
    low, high = math.radians(10.0), math.radians(30.0)
    rest = avocado.resting(SPEC, 1.5, thrust=0.0 if upwards else float(np.interp(high, ANGLES, THRUSTS)))
    control = pitch_to(lambda time: (0.0 if upwards else high) if time < 1.0 else (high if upwards else low))
    angle = math.radians(15.0 if upwards else 20.0)
    return fly(rest, control, duration, free=free, angle=angle, side=1.0 if upwards else -1.0)


def estimate(flight, seed, sensors=UNPLACED, *, estimator=None, faults=()):
    """All estimates of a flight, one per hold."""
    suite = AvocadoSensors(sensors, seed)
    for name, fault in faults:
        suite.inject(name, fault)
    estimator = AvocadoEstimator(SPEC, sensors) if estimator is None else estimator
    estimates, waiting = [], []
    for k, truth in enumerate(flight.truths):
        waiting += suite.sense(truth)
        if k % 2 == 0:
            estimates.append(estimator.update(truth.time, waiting, flight.commands[k // 2]))
            waiting = []
    return estimates


def table(estimates):
    """States and deviations of all but the first few, which may say nothing, (n, 11) twice."""
    rows = [[getattr(e.state, name) for name in NAMES] for e in estimates if e.state is not None]
    deviations = [[e.deviation[name] for name in NAMES] for e in estimates if e.state is not None]
    return np.array(rows), np.array(deviations)
