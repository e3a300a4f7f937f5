"""A branch catches the tether of AVOCADO: how long is what is left, by the robot's own sensors?

1.5 m of tether are out when the robot tilts up and its tether meets a branch that leaves 0.5 m free, as in
section VI-B of paper 001. No sensor measures that length. The estimator weighs hypotheses: the speed of P,
which follows from weight and thrust, over the rate at which the tether turns is the length of the tether.
"""

import math

import numpy as np

from tetherlab.estimation.avocado import AvocadoEstimator
from tetherlab.sensors.avocado_suite import AvocadoSensors, AvocadoSensorSpec
from tetherlab.sensors.avocado_truth import truth_of
from tetherlab.vehicles import avocado
from tetherlab.vehicles.avocado.caught import move_anchor

PAID_OUT, FREE, CONTACT = 1.5, 0.5, math.radians(15.0)  # [m], [m], [rad]
SPEC = avocado.AvocadoSpec()


def control(time, state):
    """Tilt to 25 degrees, and after 4 s to and fro."""
    wanted = 0.0 if time < 1.0 else math.radians(25.0 + (4.0 * math.sin(2.0 * time) if time > 4.0 else 0.0))
    thrust = SPEC.weight * math.tan(wanted) * 0.75 + 4.0 * (wanted - state.theta) - 2.5 * state.theta_rate
    return avocado.AvocadoCommand(thrust=min(max(thrust, 0.05), 5.0))


def main(show=True):
    """Fly 8 s; returns when the branch caught the tether, the times, true lengths and estimates."""
    sensors, estimator = AvocadoSensors(AvocadoSensorSpec(), seed=1), AvocadoEstimator(SPEC)
    state, command, held, caught = avocado.resting(SPEC, PAID_OUT), avocado.AvocadoCommand(), 0.0, math.nan
    times, lengths, estimates, readings = np.arange(0.0, 8.0, 0.01), [], [], []
    for time in times:
        branch = held * np.array([math.sin(CONTACT), 0.0, -math.cos(CONTACT)])

        def sense(after, now, branch=branch, held=held, time=time):
            truth = truth_of(time + after, now, tension=5.0, anchor=branch)
            return sensors.sense(truth._replace(length=truth.length + held))

        readings += sense(0.0, state)
        estimates.append(estimator.update(time, readings, command))
        lengths.append(state.distance)
        command = control(time, state)
        rows = np.tile([0.0, command.thrust, 0.0], (2, 1))
        run = avocado.simulate(SPEC, state, rows, 0.01, hold=0.005)
        readings, state = sense(0.005, run.state(1)), run.state(2)
        if held == 0.0 and state.theta > CONTACT:
            held, caught = PAID_OUT - FREE, time + 0.01
            state = move_anchor(state, held)
    result = caught, times, np.array(lengths), estimates
    if show:
        draw(*result)
    return result


def draw(caught, times, lengths, estimates):
    """The free length that is believed, with twice its deviation, and the probability of a free tether."""
    import matplotlib.pyplot as plt
    from picture import save, tidy

    told = [e for e in estimates if e.state is not None]
    at, found = np.array([e.time for e in told]), np.array([e.state.distance for e in told])
    spread = 2.0 * np.array([e.deviation["distance"] for e in told])
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
    above.fill_between(at, found - spread, found + spread, color="#c05a1a", alpha=0.2, lw=0)
    above.plot(at, found, color="#c05a1a", label="estimated, ± 2 standard deviations")
    above.plot(times, lengths, "--", color="#1f4e79", label="true")
    above.set(ylabel="free length [m]", ylim=(0.0, 2.0))
    above.legend(frameon=False)
    below.plot(at, [e.free_probability for e in told], color="#3b7d4f")
    below.set(xlabel="time [s]", ylabel="probability of a free tether")
    for axes in (above, below):
        axes.axvline(caught, color="#6b6f76", lw=1)
        tidy(axes)
    print(f"caught at {caught:.2f} s; picture in {save(figure, 'avocado_free_length')}")


def check(result):
    """Before the contact it believes in all that is out, and a tenth of a second after it knows the rest."""
    caught, times, lengths, estimates = result
    found = np.array([math.nan if e.state is None else e.state.distance for e in estimates])
    assert np.all(found[(times > 0.1) & (times < caught)] > 1.45)
    after = times > caught + 0.1
    assert np.all(abs(found[after] / lengths[after] - 1.0) < 0.1)
    assert abs(found[-1] - lengths[-1]) < 0.02


if __name__ == "__main__":
    check(main())
