"""Change a robot: overrides reach every number of a scenario by the path under which messages show it."""

import numpy as np

import tetherlab as tl

HOVER = {
    "mission.targets": [{"uav_m": [-2.0, 0.0, 4.0], "ugv_m": [0.0, 0.0, 0.0]}],
    "mission.uav_speed_m_per_s": 0.3,
    "mission.hold_last_s": 10.0,
}
HEAVY = {
    "uav.robot.mass_kg": 3.2,
    "uav.robot.inertia_kg_m2": [0.2, 0.2, 0.35],
    "uav.robot.rotor_speed_max_rad_per_s": 1200,
    "tether.linear_density_kg_per_m": 0.12,
    "winch.rule.factor": 1.1,
}


def main(show=True):
    """Hover with the packaged drone and with a heavy one on a heavy cable; returns both logs."""
    logs = {"packaged": tl.run("vertical", HOVER), "heavy": tl.run("vertical", {**HOVER, **HEAVY})}
    if show:
        import matplotlib.pyplot as plt
        import picture

        figure, axes = plt.subplots(figsize=(9, 4), layout="constrained")
        thrusts = {name: (log["uav"]["time_s"], log["uav"]["thrust_N"]) for name, log in logs.items()}
        picture.curves(axes, "thrust [N]", thrusts)
        print("picture:", picture.save(figure, "own_robot"))
    return logs


def check(logs):
    """A hovering drone carries its own weight and what the tether pulls, and tilts against the rest."""
    for name, mass in (("packaged", 1.477), ("heavy", 3.2)):
        uav = logs[name]["uav"]
        assert logs[name].outcome is tl.Outcome.COMPLETED
        still = uav["time_s"] > uav["time_s"][-1] - 3.0
        pull = np.array([uav[f"tether_{axis}_N"][still].mean() for axis in "xyz"])
        carried = np.linalg.norm(pull - (0.0, 0.0, mass * 9.80665))
        assert np.isclose(uav["thrust_N"][still].mean(), carried, rtol=0.005)


if __name__ == "__main__":
    check(main())
