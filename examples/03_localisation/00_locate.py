"""Where is the drone? From length, azimuth and two elevations, as a log of one's own hardware holds them.

A drone swings to and fro at the end of a tether of 22 g/m, pulled with 3.5 N at the base. The sensors err
as those of paper 002 do (Table II). The log is written as CSV, read again and turned into positions.
"""

import csv
import tempfile
from pathlib import Path

import numpy as np

import tetherlab as tl
from tetherlab.contracts.measurement_rows import read_measurements
from tetherlab.estimation import CatenaryLocalizer, Sensing

DENSITY, TENSION = 0.022, 3.5  # [kg/m], [N]
NOISE_DEG, NOISE_LENGTH = np.degrees((0.0005, 0.0096, 0.026)), 0.003  # azimuth, elevations; [m]
COLUMNS = ("time_s", "length_m", "azimuth_base_deg", "elevation_base_deg", "elevation_end_deg", "tension_N")


def fly(path, random):
    """Write the log of a flight; returns where the drone was (n, 3) [m]."""
    times = np.arange(0.0, 30.0, 0.1)
    rows, drone = [], []
    for time in times:
        azimuth = 0.4 * np.sin(0.4 * time)
        low, length = 0.5 + 0.1 * np.cos(0.4 * time), 8.0 + np.sin(0.2 * time)
        # the force at the end is that at the base and the weight of the tether: so it turns
        flat, up = TENSION * np.cos(low), TENSION * np.sin(low) + DENSITY * 9.80665 * length
        high = np.arctan2(up, flat)
        drone.append(tl.Catenary.from_angles(length, azimuth, low, high).end)
        angles = np.degrees((azimuth, low, high)) + NOISE_DEG * random.normal(size=3)
        rows.append((time, length + NOISE_LENGTH * random.normal(), *angles, TENSION))
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows([[f"{value:.6f}" for value in row] for row in rows])
    return np.array(drone)


def main(show=True):
    """Fly, and locate the drone from the log; returns the true positions and the estimates."""
    folder = Path("runs") if show else Path(tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    drone = fly(folder / "flight.csv", np.random.default_rng(7))
    localizer = CatenaryLocalizer(Sensing(linear_density=DENSITY, ground=-0.4))
    estimates = [localizer.update(measurement) for measurement in read_measurements(folder / "flight.csv")]
    if show:
        error = np.linalg.norm([e.position for e in estimates] - drone, axis=1)
        print(f"{len(drone)} positions, root mean square error {np.sqrt(np.mean(error**2)):.3f} m")
        print(f"the same with a picture: tetherlab localize {folder / 'flight.csv'} --figure flight.svg")
    return drone, estimates


def check(result):
    """The errors are as large as the covariances say, and the tether is found to hang freely."""
    drone, estimates = result
    assert np.mean([estimate.status.name == "OK" for estimate in estimates]) > 0.99
    errors = [estimate.position - truth for estimate, truth in zip(estimates, drone, strict=True)]
    squares = [e @ np.linalg.solve(est.covariance, e) for e, est in zip(errors, estimates, strict=True)]
    assert abs(np.mean(squares) - 3.0) < 4.0 * np.sqrt(
        6.0 / len(squares)
    )  # of 3 normal numbers: 3, variance 6
    assert np.sqrt(np.mean(np.square(errors).sum(axis=1))) < 0.2


if __name__ == "__main__":
    check(main())
