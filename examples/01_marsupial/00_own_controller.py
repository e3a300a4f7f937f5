"""Fly with your own controller: any object with `rate_hz`, `init` and a call that returns the next command.

This one is a PD that knows what the tether pulls with; without that knowledge it sags.
"""

import numpy as np

import tetherlab as tl

CLIMB = {
    "mission.targets": [{"uav_m": [0.0, 0.0, height], "ugv_m": [0.0, 0.0, 0.0]} for height in (2.0, 5.0)],
    "mission.uav_speed_m_per_s": 0.3,
    "mission.hold_last_s": 8.0,
}


class MyController:
    """Force on the drone from errors of position and velocity; memory is passed in and out."""

    rate_hz = 100.0

    def __init__(self, knows_pull):
        self.knows_pull = knows_pull

    def init(self):
        """The pull as filtered so far [N], (3,)."""
        return np.zeros(3)

    def __call__(self, pull, observation, reference):
        """Called 100 times per simulated second."""
        uav = observation.uav
        pull = pull + 0.1 * self.knows_pull * (uav.tether_force - pull)
        error, slip = reference.position - uav.position, reference.velocity - uav.velocity
        wanted = reference.acceleration + 6.0 * error + 5.0 * slip + (0.0, 0.0, 9.80665)
        return pull, tl.UavCommand(uav.mass * wanted - pull, reference.yaw)


def main(show=True):
    """Climb twice; returns both logs."""
    logs = {knows: tl.run("vertical", CLIMB, controller=MyController(knows)) for knows in (True, False)}
    if show:
        import matplotlib.pyplot as plt
        import picture

        figure, axes = plt.subplots(figsize=(9, 4), layout="constrained")
        tables = {"knows the pull": logs[True]["uav"], "does not": logs[False]["uav"]}
        sags = {name: (uav["time_s"], uav["target_z_m"] - uav["z_m"]) for name, uav in tables.items()}
        picture.curves(axes, "sag [m]", sags)
        print("picture:", picture.save(figure, "own_controller"))
    return logs


def check(logs):
    """Both arrive; the sag is what the stiffness of the PD answers to the pull, m 6/s^2 per metre."""
    assert all(log.outcome is tl.Outcome.COMPLETED for log in logs.values())
    sags = {knows: (log["uav"]["target_z_m"] - log["uav"]["z_m"])[-1] for knows, log in logs.items()}
    assert abs(sags[True]) < 0.03
    assert np.isclose(sags[False], -logs[False]["uav"]["tether_z_N"][-1] / (6.0 * 1.477), rtol=0.1)


if __name__ == "__main__":
    check(main())
