"""Sweep a parameter: how much slack should the winch leave? Six runs, two numbers from each."""

import numpy as np

import tetherlab as tl

FACTORS = np.array((1.02, 1.03, 1.04, 1.05, 1.06, 1.075))
FAR = {
    "mission.targets": [{"uav_m": [x, 0.0, 4.0], "ugv_m": [0.0, 0.0, 0.0]} for x in (-0.5, -6.0)],
    "mission.uav_speed_m_per_s": 0.3,
    "mission.hold_last_s": 6.0,
    "winch.rule.margin_m": 0.0,
}


def main(show=True):
    """Run all; returns rows of factor, largest pull on the way, pull at rest, and the catenary's [N]."""
    rows = []
    for factor in FACTORS:
        log = tl.run("vertical", {**FAR, "winch.rule.factor": float(factor)})
        uav, winch = log["uav"], log["winch"]
        pulls = np.linalg.norm(uav.rows("tether_x_N", "tether_y_N", "tether_z_N"), axis=1)
        tether = log["tether"]
        ends = [np.array([tether[f"{axis}_{i:02d}_m"][-1] for axis in "xyz"]) for i in (0, 40)]
        curve = tl.Catenary.between(*ends, winch["length_m"][-1])
        rows.append((factor, pulls[uav["time_s"] > 10.0].max(), pulls[-50:].mean(),
                     curve.tension(curve.length, 0.067)))  # fmt: skip
    rows = np.array(rows)
    if show:
        import matplotlib.pyplot as plt
        import picture

        figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
        slack = 100.0 * (rows[:, 0] - 1.0)
        axes.plot(slack, rows[:, 1], "o-", color=picture.UAV, label="largest on the way")
        axes.plot(slack, rows[:, 2], "s", color=picture.UGV, label="hovering")
        axes.plot(slack, rows[:, 3], "--", color=picture.LINE, label="catenary")
        axes.set(xlabel="slack that the winch leaves [%]", ylabel="pull on the drone [N]", ylim=(0, None))
        axes.legend(frameon=False)
        picture.tidy(axes)
        print("picture:", picture.save(figure, "sweep"))
    return rows


def check(rows):
    """More slack, less pull; at rest it is that of the catenary, and the way adds a little."""
    assert (np.diff(rows[:, 2]) < 0.0).all()
    assert np.allclose(rows[:, 2], rows[:, 3], rtol=0.05)
    assert (rows[:, 1] >= rows[:, 2]).all()


if __name__ == "__main__":
    check(main())
