"""The packaged scenes run to their end, and do what they say."""

import numpy as np
import pytest

import tetherlab as tl

GRAVITY = 9.80665


def pull(table):
    """What a tether does to what holds its start [N], (n,)."""
    return np.sqrt(sum(table[f"force_start_{axis}_N"] ** 2 for axis in "xyz"))


def place(log, name):
    return np.array([log[name][f"{axis}_m"][-1] for axis in "xyz"])


@pytest.fixture(scope="module")
def logs():
    names = ("two_drones_one_tether", "load_on_two_drones", "drone_on_two_winches")
    return {name: tl.run(name) for name in names}


def test_they_are_completed_and_keep_what_was_run(logs):
    for name, log in logs.items():
        assert log.outcome is tl.Outcome.COMPLETED and log.name == name
        assert log.duration == pytest.approx(log.scenario["run"]["duration_max_s"])
        assert log.seed == 1


def test_two_drones_hang_a_catenary_between_them(logs):
    log = logs["two_drones_one_tether"]
    left, right = place(log, "left"), place(log, "right")
    np.testing.assert_allclose([left, right], [(0, 0, 3), (2.4, 0, 2.2)], atol=0.03)
    hook = np.array((0.0, 0.0, -0.08))
    curve = tl.Catenary.between(left + hook, right + hook, 3.0)
    density = log.scenario["tethers"]["rope"]["linear_density_kg_per_m"]
    assert pull(log["rope"])[-1] == pytest.approx(float(curve.tension(0.0, density, GRAVITY)), rel=0.05)


def test_a_load_hangs_between_its_drones_which_carry_its_weight(logs):
    log = logs["load_on_two_drones"]
    middle = 0.5 * (place(log, "left") + place(log, "right"))
    assert np.linalg.norm((place(log, "load") - middle)[:2]) < 0.4
    assert place(log, "load")[2] > 1.0
    late = log["left_sling"]["time_s"] > 10.0
    lift = -sum(log[f"{side}_sling"]["force_end_z_N"][late].mean() for side in ("left", "right"))
    assert lift == pytest.approx(-0.5 * GRAVITY, abs=0.3)


def test_winches_keep_the_length_and_the_tension_that_they_are_told(logs):
    log = logs["drone_on_two_winches"]
    np.testing.assert_allclose(place(log, "drone"), (1.0, 0.0, 3.6), atol=0.05)
    assert log["west"]["length_m"][-1] == pytest.approx(6.0, abs=0.02)
    assert pull(log["east"])[log["east"]["time_s"] > 38.0].mean() == pytest.approx(4.0, abs=0.4)
    following = (log["west"]["time_s"] > 3.0) & (log["west"]["time_s"] < 13.0)
    apart = np.sqrt(
        sum((log["drone"][f"{axis}_m"] - post) ** 2 for axis, post in zip("xyz", (-3, 0, 0.5), strict=True))
    )
    np.testing.assert_allclose(log["west"]["length_m"][following], 1.05 * apart[following] + 0.05, atol=0.12)


def test_metrics_of_a_scene_are_those_of_its_parts(logs):
    log = logs["drone_on_two_winches"]
    steps = np.diff([log["drone"][f"{axis}_m"] for axis in "xyz"], axis=1)
    expected = {
        "sim_time_s": 42.0,
        "distance_drone_m": np.linalg.norm(steps, axis=0).sum(),
        "peak_tension_east_N": log["east"]["tension_max_N"].max(),
    }
    for name, value in expected.items():
        assert log.metrics[name] == pytest.approx(value)
    change = log["west"]["length_m"][-1] - log["west"]["length_m"][0]
    assert log.metrics["reeled_out_west_m"] - log.metrics["reeled_in_west_m"] == pytest.approx(change)
    assert not any(name.startswith(("targets", "dist_", "reeled_out_rope")) for name in log.metrics)
    assert "reeled_out_rope_m" not in logs["two_drones_one_tether"].metrics


def test_a_log_is_saved_loaded_and_run_again_with_the_same_bits(logs, tmp_path):
    logs["load_on_two_drones"].save(tmp_path / "run")
    log = tl.Log.load(tmp_path / "run")
    again = tl.run(log.scenario)
    assert again.metrics == pytest.approx(log.metrics, rel=1e-6)
    np.testing.assert_allclose(again["load"]["z_m"], log["load"]["z_m"], atol=1e-6)


def test_seed_and_overrides_reach_the_run():
    log = tl.run("two_drones_one_tether", {"run.duration_max_s": 0.5, "tethers.rope.length_m": 4}, seed=7)
    assert log.seed == 7 and log.duration == pytest.approx(0.5)
    assert log["rope"]["length_m"][0] == pytest.approx(4.0)
    assert log.events[0].sentence == "2 commands come after the end of the run"


def test_a_run_of_a_scene_has_no_controllers_of_a_team():
    with pytest.raises(tl.InputError, match="controllers="):
        tl.run("two_drones_one_tether", controller=object())
