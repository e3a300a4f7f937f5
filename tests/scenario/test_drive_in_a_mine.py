"""The rover on the uneven floor of a mine."""

import numpy as np

import tetherlab as tl

WAY = [(0.0, 0.0, 0.0), (2.5, 0.0, 0.0)]


def drive(world):
    return tl.run(
        {
            "schema": 1,
            "world": world,
            "tether": "paper",
            "winch": {"like": "paper", "rule": {"type": "follow_distance", "factor": 1.25, "margin_m": 0.3}},
            "uav": {"robot": "paper_quadrotor", "on_platform": True},
            "ugv": {"robot": "paper_ugv"},
            "mission": {
                "targets": [{"uav_m": [x + 0.2, y, 2.0], "ugv_m": [x, y, z]} for x, y, z in WAY],
                "take_off": True,
                "uav_speed_m_per_s": 0.5,
                "hold_last_s": 1,
            },
            "run": {"duration_max_s": 40},
        }
    )


def test_the_rover_follows_the_uneven_floor_without_jumps_and_a_flat_relief_like_the_plane():
    small = {"pillar_m": [4.0, 4.0], "entry_m": 9.0, "height_m": 6.0, "spacing_m": 0.1, "finest_m": 0.4}
    rough = drive({"mine": {**small, "seed": 2, "friction": 0.8}})
    flat = drive({"mine": {**small, "floor_roughness_m": 0.0, "friction": 0.8}})
    plain = drive("plain")
    mine = tl.Mine(pillar=(4.0, 4.0), entry=9.0, height=6.0, spacing=0.1, finest=0.4, seed=2)
    ugv = rough.tables["ugv"]
    time, x, y, z = (np.asarray(ugv[name]) for name in ("time_s", "x_m", "y_m", "z_m"))
    moving = time > 2.0
    assert x[-1] > 1.0
    # It stands on four wheels and bridges what is between them.
    np.testing.assert_allclose(z[moving], mine.floor_height(x, y)[moving], atol=0.03)
    assert np.abs(np.asarray(ugv["vz_m_per_s"])[moving]).max() < 0.1
    for name in ("x_m", "y_m", "z_m"):
        a, b = (np.asarray(log.tables["ugv"][name]) for log in (flat, plain))
        n = min(len(a), len(b))
        np.testing.assert_allclose(a[:n], b[:n], atol=2e-3)
