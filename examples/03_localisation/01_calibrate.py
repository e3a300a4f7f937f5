"""Calibrate a sensor: from a file with samples, one of them wrong, to angles, and what the noise costs."""

import tempfile
from pathlib import Path

import numpy as np

from tetherlab.estimation import Sensing, SensorNoise
from tetherlab.estimation.design import error_budget
from tetherlab.sensors.calibration import Calibration
from tetherlab.sensors.calibration_fit import fit_samples
from tetherlab.sensors.calibration_samples import read_samples

GAIN_DEG, OFFSET_DEG, NOISE_DEG = 298.0, -149.0, 0.5  # of the sensor that is to be found out


def measure(path):
    """What you would do by hand: turn the tether, and write down what the sensor reads."""
    random = np.random.default_rng(7)
    lines = ["adc,reference_adc,angle_deg"]
    for ratio in np.linspace(0.22, 0.78, 30):
        reference = random.uniform(24_000, 26_000)  # the supply wanders
        angle = GAIN_DEG * ratio + OFFSET_DEG + NOISE_DEG * random.standard_normal()
        lines.append(f"{ratio * reference:.0f},{reference:.0f},{angle:.2f}")
    lines[12] = lines[12].replace(",-", ",")  # a minus sign was forgotten, on line 13
    path.write_text("\n".join(lines) + "\n")


def main(show=True):
    """Returns the fit, the calibration as read back, and the error budget with this noise."""
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder) / "samples.csv")
        (samples,) = read_samples(Path(folder) / "samples.csv", "angle", "drone_elevation")
        fit = fit_samples(samples)
        Calibration({"drone_elevation": fit.law}).save(Path(folder) / "calibration.yaml")
        calibration = Calibration.load(Path(folder) / "calibration.yaml")
    budget = error_budget(4.0, sensing=Sensing(noise=SensorNoise(**calibration.noise())), cells=30)
    if show:
        from tetherlab.report.budget_figure import draw_budget
        from tetherlab.report.calibration_figure import draw_calibration
        from tetherlab.report.figure_file import write_figure

        Path("runs").mkdir(exist_ok=True)
        print("picture:", write_figure(draw_calibration([fit]), "runs/calibration.png"))
        print("picture:", write_figure(draw_budget(budget), "runs/budget.png"))
        print("outliers on lines", *fit.law.rejected_lines, "- improve first:", budget.improve_first)
    return fit, calibration, budget


def check(result):
    """The outlier is named, the law lies within its confidence, and the way back is the way there."""
    fit, calibration, budget = result
    assert fit.law.rejected_lines == (13,)
    truth = np.deg2rad([OFFSET_DEG, GAIN_DEG])
    assert (np.abs(fit.law.coefficients - truth) <= 1.5 * fit.confidence).all()
    assert abs(np.rad2deg(fit.law.residual_deviation) - NOISE_DEG) < 0.2
    adc = calibration.invert("drone_elevation", 0.3, reference_adc=25_000)
    assert abs(calibration.apply("drone_elevation", adc, 25_000) - 0.3) < 1e-12
    assert budget.root_mean_square < 0.02 and abs(sum(budget.share.values()) - 1.0) < 1e-12


if __name__ == "__main__":
    check(main())
