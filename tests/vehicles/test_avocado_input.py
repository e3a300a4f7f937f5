"""What AVOCADO answers to input that cannot be: a sentence, never NaN."""

import dataclasses
import math
import subprocess
import sys

import numpy as np
import pytest
from avocado_scenes import FREE, SPEC, swing

import tetherlab as tl
from tetherlab.vehicles import avocado
from tetherlab.vehicles.avocado import (
    AvocadoCommand,
    AvocadoSpec,
    AvocadoState,
    AvocadoStatus,
    energy,
    resting,
    simulate,
)

STATE = resting(SPEC, 1.0)
STILL = AvocadoCommand()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: AvocadoSpec(mas=1.0), "AvocadoSpec has no field 'mas'. Did you mean 'mass'?"),
        (lambda: AvocadoSpec(mass=0.0), "AvocadoSpec.mass must be > 0, got 0"),
        (lambda: AvocadoSpec(tether_stiffness=0), "AvocadoSpec.tether_stiffness must be > 0, got 0"),
        (lambda: AvocadoSpec(damping_phi=-1), "AvocadoSpec.damping_phi must be >= 0, got -1"),
        (lambda: AvocadoSpec(gravity=math.nan), "AvocadoSpec.gravity must be finite, got nan"),
        (
            lambda: AvocadoSpec(inertia_x=0.02),
            "AvocadoSpec.inertia_x must be at most the sum of the other two, 0.00857 kg m^2, as for any "
            "rigid body, got 0.02",
        ),
        (
            lambda: AvocadoSpec(damping_heading=1e-5, damping_psi=0.0),
            "AvocadoSpec.damping_heading + damping_psi must be 0 or at least 0.001 N m s, since less could "
            "not say how the robot turns where theta passes 0, got 1e-05 and 0",
        ),
        (
            lambda: AvocadoState(distance=1.0, tether_length=0.0),
            "AvocadoState.tether_length must be at least 0.02 m, since nearer to the anchor the direction of "
            "the tether means nothing, got 0",
        ),
        (lambda: AvocadoState(distance=-1.0, tether_length=1.0), "AvocadoState.distance must be at least"),
        (
            lambda: AvocadoState(distance=1, tether_length=1, theta="up"),
            "AvocadoState.theta must be a number",
        ),
        (lambda: AvocadoState(distance=1.0), "AvocadoState needs tether_length"),
        (lambda: AvocadoCommand(thrust=math.inf), "AvocadoCommand.thrust must be finite, got inf"),
        (lambda: resting(SPEC, 0.0), "AvocadoState.tether_length must be at least 0.02 m"),
        (
            lambda: simulate(SPEC, STATE, AvocadoCommand(thrust=7.1), 1.0),
            "thrust must be between 0 and 7 N (AvocadoSpec.thrust_max), got 7.1",
        ),
        (
            lambda: simulate(SPEC, STATE, AvocadoCommand(thrust=-0.1), 1.0),
            "thrust must be between 0 and 7 N (AvocadoSpec.thrust_max), got -0.1",
        ),
        (
            lambda: simulate(SPEC, STATE, [[0, 1, 0], [0, 9, 0]], 0.02),
            "thrust must be between 0 and 7 N (AvocadoSpec.thrust_max), got 9 in row 1",
        ),
        (
            lambda: simulate(SPEC, STATE, lambda time, state: AvocadoCommand(torque=-0.3), 1.0),
            "torque must be within 0.21 N m of 0, which one motor at its limit gives "
            "(AvocadoSpec.torque_max), got -0.3",
        ),
        (lambda: simulate(SPEC, STATE, lambda time, state: 3.0, 1.0), "command must be an AvocadoCommand"),
        (
            lambda: simulate(SPEC, STATE, np.zeros((3, 3)), 1.0),
            "command must have one row for each of the 100 holds, got 3",
        ),
        (lambda: simulate(SPEC, STATE, [[0, np.nan, 0]], 0.01), "command must be finite, got nan at"),
        (lambda: simulate(SPEC, STATE, STILL, 0.0), "duration must be > 0, got 0"),
        (
            lambda: simulate(SPEC, STATE, STILL, 1e9),
            "duration must be at most 1e8 holds of 0.01 s, got 1e+09 s",
        ),
        (lambda: simulate(SPEC, STATE, STILL, 1.0, hold=-1), "hold must be > 0, got -1"),
        (lambda: simulate(SPEC, STATE, STILL, 1.0, rtol=1e-17), "rtol must be between 1e-14"),
        (lambda: simulate(SPEC, STATE, STILL, 1.0, atol=1.0), "atol must be at most 0.01, got 1"),
        (lambda: simulate(SPEC, STATE, STILL, 1.0, tol=1), "simulate has no argument 'tol'. Did you mean"),
        (
            lambda: simulate(None, STATE, STILL, 1.0),
            "spec must be an AvocadoSpec of tetherlab.vehicles.avocado",
        ),
        (
            lambda: simulate(SPEC, None, STILL, 1.0),
            "state must be an AvocadoState of tetherlab.vehicles.avocado",
        ),
        (lambda: energy(SPEC, 3.0), "motion must be an AvocadoState or an AvocadoTrajectory, got 3.0"),
    ],
)
def test_wrong_input_gets_a_sentence(call, sentence):
    with pytest.raises(tl.InputError) as problem:
        call()
    assert str(problem.value).startswith(sentence)


def test_reeling_in_everything_ends_with_a_sentence():
    command = AvocadoCommand(reel_speed=-0.5)
    with pytest.raises(
        tl.SimulationError, match=r"after 1\.96\d* s the tether was reeled in to less than 0.02 m"
    ):
        simulate(SPEC, STATE, command, 5.0)
    q = simulate(SPEC, STATE, command, 5.0, throw=False)
    assert q.status is AvocadoStatus.REELED_IN and len(q) < 250
    assert q.time[-1] == pytest.approx(1.96, abs=0.02) and np.isfinite(q.theta).all()


def test_a_robot_that_flies_to_its_anchor_ends_with_a_sentence():
    state = AvocadoState(distance=0.5, tether_length=1.0, distance_rate=-4.0)
    q = simulate(FREE, state, STILL, 5.0, throw=False)
    assert q.status is AvocadoStatus.AT_ANCHOR and "0.02 m of its anchor" in q.status.value
    assert 0.1 < q.time[-1] < 0.2 and np.isfinite(q.distance).all()


def test_rates_beyond_all_bounds_end_with_a_sentence():
    for rate in (1e9, 1e160, 1e300):
        q = simulate(SPEC, swing(heading_rate=rate), STILL, 0.1, throw=False)
        assert q.status is AvocadoStatus.STALLED
        assert all(np.isfinite(getattr(q, name)).all() for name in ("time", "theta", "phi", "psi", "tension"))


@pytest.mark.parametrize("seed", range(4))
def test_no_start_and_no_command_make_nan(seed):
    """Also at and next to the vertical, slack, taut, and with rates that no damping would allow there."""
    random = np.random.default_rng(seed)
    for k in range(30):
        damping = {} if k % 3 else {"damping_heading": 0.0, "damping_psi": 0.0}
        spec = dataclasses.replace(SPEC, **damping, tether_damping=10.0 ** random.uniform(-1, 4))
        length = random.uniform(0.1, 3.0)
        state = AvocadoState(
            distance=max(0.03, length + random.choice([0.0, 7e-4, -0.05, -0.3])),
            tether_length=length,
            theta=random.choice([0.0, 1e-7, 1e-4, random.uniform(-3.0, 3.0)]),
            phi=random.choice([0.0, random.uniform(-1.0, 1.0)]),
            psi=random.choice([0.0, random.uniform(-3.0, 3.0)]),
            distance_rate=random.choice([0.0, random.normal()]),
            heading_rate=random.choice([0.0, random.normal()]),
            theta_rate=random.choice([0.0, random.normal()]),
            phi_rate=random.choice([0.0, random.normal()]),
            psi_rate=random.choice([0.0, random.normal()]),
        )
        rows = np.column_stack([0.2 * random.normal(size=100), abs(random.normal(size=100)), np.zeros(100)])
        rows[:, 2] = 0.01 * random.normal(size=100)
        q = simulate(spec, state, rows, 1.0, throw=False)
        assert q.status in (AvocadoStatus.COMPLETED, AvocadoStatus.AT_ANCHOR), state
        for name in ("time", *AvocadoState.__annotations__, "tension"):
            assert np.isfinite(getattr(q, name)).all(), (name, state)
        assert q.tension.min() >= 0.0


def test_public_names_are_found_without_importing_them():
    code = "import tetherlab as tl; print(*tl.vehicles.avocado.__all__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == avocado.__all__, done.stderr
    assert all(getattr(avocado, name).__doc__ for name in avocado.__all__)


def test_the_values_that_the_paper_does_not_print_are_marked():
    assert set(AvocadoSpec.assumed) <= {field.name for field in dataclasses.fields(AvocadoSpec)}
    assert AvocadoSpec().gravity == 9.80665 and AvocadoSpec.assumed == ("gravity",)
