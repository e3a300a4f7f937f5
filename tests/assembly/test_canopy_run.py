"""Runs in the canopy: their record, how they end, and a robot without propellers that is reeled home."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.assembly.canopy_run import CanopyRun
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log
from tetherlab.plant.branch import Branch
from tetherlab.plant.hanging import hanging
from tetherlab.vehicles.avocado import AvocadoCommand, AvocadoRobotSpec, AvocadoState

ROBOT = AvocadoRobotSpec()
HANGING = hanging(ROBOT, 1.0)
IDLE = AvocadoCommand()


def bar(x, z, friction=0.5):
    return tl.shapes.Capsule(start=(x, -0.5, z), end=(x, 0.5, z), radius=0.02, name="bar", friction=friction)


def twig(x=0.1, z=-0.5, **changes):
    given = {"radius": 0.02, "stiffness": 60.0, "damping": 0.5, "inertia": 0.15} | changes
    return Branch(name="twig", root=(x, -0.5, z), tip=(x, 0.5, z), **given)


def run(controller=IDLE, start=HANGING, duration=1.0, world=None, spec=ROBOT, **options):
    return CanopyRun(spec, tl.World() if world is None else world, controller, start, duration, **options)


class Lean:
    """A controller with a reference."""

    @dataclass
    class Reference:
        theta: float
        heading: float
        tether_length: float

    def __init__(self):
        self.calls = []

    def references(self, time):
        return self.Reference(0.1 * time, -0.2, 1.1)

    def __call__(self, time, state):
        self.calls.append((time, state))
        return AvocadoCommand(thrust=1.0 - 0.5 * state.theta_rate, reel_speed=0.05)


def test_a_run_is_recorded_every_10_ms(tmp_path):
    controller = Lean()
    one = run(controller, duration=2.0, branches=[twig(x=1.0)])
    log = one.run()
    robot, branches, reference = log["robot"], log["branches"], log["reference"]
    assert log.outcome is tl.Outcome.COMPLETED
    assert robot["time_s"] == pytest.approx(np.arange(201) * 0.01)
    assert robot["length_m"][-1] == pytest.approx(1.1, abs=2e-3)
    assert np.degrees(one.state.theta) == pytest.approx(robot["theta_deg"][-1])
    assert branches.columns == ("time_s", "twig_sideways_deg", "twig_up_deg")
    assert reference["theta_deg"][-1] == pytest.approx(math.degrees(0.2))
    assert reference["length_m"][-1] == pytest.approx(1.1)
    tether = log["tether"]
    assert tether.rows("x_00_m", "y_00_m", "z_00_m") == pytest.approx(
        robot.rows("x_m", "y_m", "z_m"), abs=2e-6
    )
    assert tether["z_40_m"] == pytest.approx(0.0, abs=1e-6)
    assert len(controller.calls) == 200 and controller.calls[1][0] == pytest.approx(0.01)
    again = Log.load(log.save(tmp_path / "run"))
    assert (again["robot"]["theta_deg"] == robot["theta_deg"]).all()


def test_rows_may_be_sparse_and_a_run_goes_on_where_it_was():
    one = run(AvocadoCommand(thrust=1.0), record_every=5)
    one.run(until=0.5)
    assert one.outcome is None and one.time == pytest.approx(0.5)
    log = one.run()
    assert log["robot"]["time_s"] == pytest.approx(np.arange(21) * 0.05)
    whole = run(AvocadoCommand(thrust=1.0), record_every=5).run()
    assert (whole["robot"]["theta_deg"] == log["robot"]["theta_deg"]).all()


def test_the_controller_sees_what_is_sensed():
    controller = Lean()
    run(controller, sensing=lambda run: replace(run.state, theta=run.state.theta + 0.5)).run()
    assert controller.calls[0][1].theta == pytest.approx(0.5)


def test_what_sensors_look_at_fits_together():
    one = run(AvocadoCommand(thrust=2.0, torque=0.01), duration=0.7)
    log = one.run()["robot"]
    state, up = one.state, one.rotation[:, 2]
    assert up[2] == pytest.approx(math.cos(state.pitch), abs=0.01)
    assert one.position == pytest.approx(log.rows("x_m", "y_m", "z_m")[-1], abs=1e-8)
    rates = log.rows("wx_rad_per_s", "wy_rad_per_s", "wz_rad_per_s")[-1]
    assert one.angular_velocity == pytest.approx(rates, abs=1e-8)
    assert rates[2] < 0.0  # to the right
    assert one.tension == pytest.approx(log["tension_N"][-1])


def test_too_much_thrust_turns_it_over():
    log = run(AvocadoCommand(thrust=6.5), duration=10.0).run()
    assert log.outcome is tl.Outcome.TURNED_OVER
    assert "pitch is beyond 90 deg" in log.outcome_sentence and "5.88 N" in log.outcome_sentence


def test_a_branch_that_springs_through_the_anchor_ends_the_run():
    through = twig(0.0, 0.0, bent=(math.radians(30.0), 0.0), release_time=0.2)
    log = run(branches=[through], duration=5.0).run()
    assert log.outcome is tl.Outcome.ANCHOR_HIT
    assert 0.2 < log["robot"]["time_s"][-1] < 1.0


def test_reeling_in_all_of_it_ends_the_run():
    log = run(AvocadoCommand(reel_speed=-1.0), start=hanging(ROBOT, 0.5), duration=30.0).run()
    assert log.outcome is tl.Outcome.REELED_IN
    assert log["robot"]["length_m"].min() == pytest.approx(0.04, abs=2e-3)
    assert np.isfinite(log["robot"].rows(*log["robot"].columns)).all()


def test_a_robot_hangs_on_when_all_of_its_tether_is_out():
    short = replace(ROBOT, tether_total=1.1)
    one = run(AvocadoCommand(reel_speed=0.1), duration=3.0, spec=short)
    assert one.run().outcome is tl.Outcome.COMPLETED
    assert one.state.tether_length == pytest.approx(1.1, abs=2e-3)


def test_a_tether_that_is_too_weak_is_overloaded():
    """It falls 0.3 m into the tether: v sqrt(EA m / l) is above 200 N, also with the spool giving way."""
    weak = replace(ROBOT, tether_strength=100.0, spool_torque_max=50.0)
    falling = AvocadoState(distance=0.7, tether_length=1.0)
    assert run(start=falling, duration=3.0, spec=weak).run().outcome is tl.Outcome.TETHER_OVERLOAD
    strong = replace(weak, tether_strength=451.0)
    log = run(start=falling, duration=3.0, spec=strong).run()
    assert log.outcome is tl.Outcome.COMPLETED
    assert 100.0 < log["robot"]["tension_N"].max() < 451.0


def test_a_branch_that_is_bent_too_far_ends_the_run():
    one = run(branches=[twig(x=1.0)], duration=3.0)
    one.simulation.graph.body["L_W"][0] = 0.15 * 40.0 * np.array([-1.0, 0.0, 1.0])  # turns at 40 rad/s
    log = one.run()
    assert log.outcome is tl.Outcome.BRANCH_OVERBENT
    assert 80.0 < np.abs(log["branches"].rows("twig_sideways_deg", "twig_up_deg")).max() < 120.0


def broken(time, state):
    if time > 0.3:
        raise RuntimeError("out of ideas")
    return IDLE


@pytest.mark.parametrize(
    ("controller", "words"),
    [
        (broken, "out of ideas"),
        (lambda time, state: None, "must return an AvocadoCommand"),
        (lambda time, state: AvocadoCommand(thrust=math.nan), "thrust must be finite"),
    ],
)
def test_a_controller_that_fails_ends_the_run_and_its_data_stay(controller, words):
    log = run(controller).run()
    assert log.outcome is tl.Outcome.CONTROLLER_FAILED
    assert words in log.outcome_sentence and "test_canopy_run.py" in log.outcome_sentence
    assert len(log["robot"]) >= 1


def test_ctrl_c_keeps_what_there_is():
    def stopping(time, state):
        if time > 0.495:
            raise KeyboardInterrupt
        return IDLE

    log = run(stopping).run()
    assert log.outcome is tl.Outcome.STOPPED
    assert len(log["robot"]) == 51


@pytest.mark.parametrize("x", [0.05, 0.1])
def test_without_propellers_the_spool_brings_it_home_past_a_branch(x):
    """Both fail while it hangs over a branch; reeled in, it slides over it and up to the anchor."""
    touch = 0.0203  # radius of branch and tether, and some air
    angle = math.atan2(x, 0.6) + math.asin(touch / math.hypot(x, 0.6))
    corner = np.array([x + touch, 0.0, -(x + touch) / math.tan(angle)])
    start = AvocadoState(distance=0.6004, tether_length=0.6 + float(np.linalg.norm(corner)))
    one = run(
        lambda time, state: AvocadoCommand(thrust=1.0, reel_speed=-0.15 if time > 2.0 else 0.0),
        start=start, duration=40.0, world=tl.World([bar(x, -0.6)]), via=[corner],
        failures={"left": 0.5, "right": 0.5},
    )  # fmt: skip
    one.run(until=2.0)
    assert one.hangs_from == "bar"
    log = one.run()
    robot = log["robot"]
    assert log.outcome is tl.Outcome.REELED_IN
    assert np.abs(robot.rows("thrust_left_N", "thrust_right_N")[-1]).max() < 1e-9
    assert (robot["shell_contacts"] > 0).any()
    assert robot["z_m"][-1] > -0.1 and one.hangs_from == "anchor"


def test_one_propeller_that_fails_turns_the_robot():
    log = run(AvocadoCommand(thrust=1.0), failures={"right": 0.5}, duration=2.0).run()
    robot = log["robot"]
    early = robot["time_s"] < 0.5
    turned = robot["heading_deg"] + robot["psi_deg"]
    assert np.abs(turned[early]).max() < 1e-6
    assert turned[-1] > 10.0  # to the right: the left one still pushes
    assert robot["thrust_right_N"][-1] < 1e-6


def test_a_released_branch_shakes_the_robot():
    """The experiment of the paper's section VI-B: bent by 15 deg, then released."""
    leans = []
    for release in (2.5, math.inf):
        branch = twig(bent=(math.radians(15.0), 0.0), release_time=release)
        log = run(
            AvocadoCommand(thrust=2.0), start=hanging(ROBOT, 1.5, thrust=2.0), duration=4.0, branches=[branch]
        ).run()
        robot = log["robot"]
        leans.append(robot["theta_deg"])
        assert log.outcome is tl.Outcome.COMPLETED
    late = robot["time_s"] > 2.5
    assert (leans[0][~late] == leans[1][~late]).all()
    assert np.abs(leans[0] - leans[1])[late].max() > 1.0


def test_wrong_arguments_are_explained():
    with pytest.raises(InputError, match=r"no propeller 'lefft'\. Did you mean 'left'"):
        run(failures={"lefft": 1.0})
    with pytest.raises(InputError, match="controller must be called"):
        run(controller=3.0)
    with pytest.raises(InputError, match="spec must be"):
        run(spec=3.0)
    with pytest.raises(InputError, match="record_every"):
        run(record_every=0)
    with pytest.raises(InputError, match="inside an obstacle"):
        run(world=tl.World([bar(0.0, -1.1)]))
