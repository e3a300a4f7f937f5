"""AVOCADO leans out, turns to the right and comes back, with the paper's controller and with the model's.

The robot hangs on 1 m of tether. It shall lean by 10, then 30 deg, turn by 90 deg while it leans, and return.
The motors lag by 30 ms and the sensors have noise, as on a robot.
"""

import math

import numpy as np

from tetherlab.control.avocado import ModelController, PaperController, References
from tetherlab.studies.avocado_imperfect import Imperfect, Imperfection
from tetherlab.vehicles.avocado import AvocadoSpec, resting, simulate

ROBOT = Imperfection(angle_noise=math.radians(0.3), rate_noise=0.02, delay=1, motor_lag=0.03)
# A time that stands twice is a step.
WANTED = References(
    times=[0, 1, 1, 5, 5, 10, 14, 17, 17, 22],
    tether_length=1.0,
    theta=np.radians([0, 0, 10, 10, 30, 30, 30, 30, 5, 5]),
    heading=np.radians([0, 0, 0, 0, 0, 0, 90, 90, 90, 90]),
)
CONTROLLERS = {"paper": PaperController, "model": ModelController}


def main(show=True):
    """Fly with both controllers; returns their trajectories."""
    spec, runs = AvocadoSpec(), {}
    for seed, (name, kind) in enumerate(CONTROLLERS.items()):
        controller = Imperfect(kind(spec, WANTED), ROBOT, seed)
        runs[name] = simulate(spec, resting(spec, tether_length=1.0), controller, duration=22.0)
    if show:
        for name, run in runs.items():
            theta, heading = errors(run)
            print(
                f"{name}: root mean square error {np.degrees(np.sqrt(np.mean(theta**2))):.1f} deg in theta, "
                f"{np.degrees(np.sqrt(np.mean(heading**2))):.1f} deg in heading once it leans"
            )
        from picture import draw

        print(f"picture: {draw(runs, WANTED)}")
    return runs


def errors(run):
    """Of theta, and of heading from 3 s on [rad]; close to the vertical a heading means little."""
    wanted = np.array([WANTED(time)[:3] for time in run.time])
    return run.theta - wanted[:, 1], (run.heading - wanted[:, 2])[run.time > 3.0]


def check(runs):
    """Both arrive, the model's controller sooner, and both have turned."""
    for run in runs.values():
        for time, theta in ((4.9, 10.0), (9.9, 30.0), (21.9, 5.0)):
            assert abs(np.degrees(run.theta[round(100 * time)]) - theta) < 1.0
        assert abs(np.degrees(run.heading[1690]) - 90.0) < 3.0
    size = {name: float(np.mean(errors(run)[0] ** 2)) for name, run in runs.items()}
    assert size["model"] < size["paper"]


if __name__ == "__main__":
    check(main())
