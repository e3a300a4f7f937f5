"""Let your own rule say how much tether is out: here as much slack as fits above the ground.

A rule sees what a winch's computer may know, and commands a length, a speed or a tension.
"""

import tetherlab as tl

FAR = {
    "mission.targets": [{"uav_m": [x, 0.0, 2.0], "ugv_m": [0.0, 0.0, 0.0]} for x in (-0.5, -4.0, -8.0)],
    "mission.uav_speed_m_per_s": 0.3,
    "mission.hold_last_s": 5.0,
    "uav.controller": {"type": "position", "feed_forward": "measured"},  # little slack pulls hard
}
LOWEST = 0.25  # that the tether may hang [m]; the winch's exit is at 0.35 m


class AboveTheGround:
    """The longest tether, up to 5 % more than the distance, whose catenary stays above LOWEST."""

    rate_hz = 10.0

    def init(self):
        """Nothing to remember."""

    def __call__(self, memory, observation, reference):
        """Halve the interval of slack seven times."""
        base, end = observation.exit, observation.attachment
        apart = sum((end - base) ** 2) ** 0.5
        low, high = 1.001, 1.05
        for _ in range(7):
            middle = 0.5 * (low + high)
            hangs = tl.Catenary.between(base, end, middle * apart).lowest_point[2]
            low, high = (middle, high) if hangs > LOWEST else (low, middle)
        return memory, tl.WinchCommand(length=low * apart)


def main(show=True):
    """Fly away with this rule and with the packaged one; returns both logs."""
    own = tl.run("vertical", FAR, winch_rule=AboveTheGround())
    logs = {"own rule": own, "5 % slack": tl.run("vertical", FAR)}
    if show:
        import matplotlib.pyplot as plt
        import picture

        figure, views = plt.subplots(2, 1, figsize=(10, 6.5), layout="constrained", sharex=True)
        for axes, (name, log) in zip(views, logs.items(), strict=True):
            picture.side_view(axes, log, (10.0, 20.0, round(log.duration)))
            axes.set_title(name, loc="left")
        print("picture:", picture.save(figure, "own_winch_rule"))
    return logs


def check(logs):
    """The packaged rule lets the tether touch the ground, the own one does not, and pulls more."""
    assert all(log.outcome is tl.Outcome.COMPLETED for log in logs.values())
    lowest = {name: min(log["tether"][f"z_{i:02d}_m"][-1] for i in range(41)) for name, log in logs.items()}
    assert lowest["5 % slack"] < 0.05 < LOWEST - 0.05 < lowest["own rule"]
    assert logs["own rule"].metrics["tension_max_uav_N"] > logs["5 % slack"].metrics["tension_max_uav_N"]


if __name__ == "__main__":
    check(main())
