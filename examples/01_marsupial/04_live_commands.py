"""Command a run while it goes on: look at `state`, send the vehicles somewhere or at a velocity, land."""

import numpy as np

import tetherlab as tl


def main(show=True):
    """Take off, climb, chase a moving point and call the ground robot after, land; returns the log."""
    simulation = tl.Simulation(
        "vertical", {"mission.uav_speed_m_per_s": 0.3, "mission.ugv_speed_m_per_s": 0.2}
    )
    simulation.run(until=3.0)
    simulation.command(uav_velocity=(0.0, 0.2, 0.2))  # [m/s]
    simulation.run(until=5.0)
    while simulation.time < 65.0 and simulation.outcome is None:
        angle = 2.0 * np.pi * (simulation.time - 5.0) / 60.0
        simulation.command(uav=(2.0 * np.sin(angle), 2.0 * np.cos(angle), 3.0))
        if np.linalg.norm(simulation.state.uav.position[:2] - simulation.state.ugv.position[:2]) > 1.5:
            simulation.command(ugv=simulation.state.uav.position[:2])
        simulation.run(until=simulation.time + 0.5)
    simulation.land()
    simulation.run(until=100.0)
    log = simulation.log
    if show:
        import matplotlib.pyplot as plt
        import picture

        figure, (plan, lengths) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
        for vehicle, color in (("uav", picture.UAV), ("ugv", picture.UGV)):
            plan.plot(log[vehicle]["x_m"], log[vehicle]["y_m"], color=color, label=vehicle)
        plan.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
        plan.legend(frameon=False)
        picture.tidy(plan)
        winch = log["winch"]
        named = {name: (winch["time_s"], winch[f"{name}_m"]) for name in ("length", "distance")}
        picture.curves(lengths, "[m]", named)
        print("picture:", picture.save(figure, "live_commands"))
    return log


def check(log):
    """The drone went round, the robot followed it, the tether was never taut, and they are together again."""
    uav, ugv, winch = log["uav"], log["ugv"], log["winch"]
    assert log.outcome is None and len(log.events) > 50
    assert np.ptp(uav["x_m"]) > 3.0 and np.ptp(uav["y_m"]) > 3.0
    assert np.hypot(ugv["x_m"], ugv["y_m"]).max() > 0.3
    assert (winch["length_m"] > winch["distance_m"])[winch["time_s"] > 5.0].all()
    assert log.events[-1].sentence == "has landed"


if __name__ == "__main__":
    check(main())
