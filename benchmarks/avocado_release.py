"""How often AVOCADO gets over a branch that is let go, on the analytic model: both controllers.

    python benchmarks/avocado_release.py [SEEDS]

Releases and robots are those of `tetherlab.studies.avocado_release.draw`. Upward interaction is theta = 30
deg, downward 10 deg, as in Fig. 8 of the paper. With Table I, and without its damping of Omega and psi.
"""

import sys
import time
from dataclasses import replace

import numpy as np

from tetherlab.control.avocado import ModelController, PaperController, hold
from tetherlab.studies.avocado_release import draw, let_go
from tetherlab.vehicles.avocado import AvocadoSpec

TABLE = AvocadoSpec()
SPECS = {"Table I": TABLE, "no damping": replace(TABLE, damping_heading=0.0, damping_psi=0.0)}
PAPER = {(1.0, 30): 100, (1.0, 10): 100, (0.5, 30): 75, (0.5, 10): 64}  # success rates of Fig. 8F [%]


def measure(spec, kind, free_length, theta_deg, seeds):
    """Outcomes of one controller in one situation."""
    theta, outcomes = np.radians(theta_deg), []
    pilot = kind(spec, hold(free_length, theta=theta))
    for seed in range(seeds):
        pilot.reset()
        release, imperfection = draw(seed)
        where = {"free_length": free_length, "theta": theta}
        outcomes.append(let_go(spec, pilot, release, imperfection=imperfection, seed=seed, **where))
    return outcomes


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"success of {seeds} releases; largest pitch: median, 90 % of all [deg]; failed by turning over")
    for name, spec in SPECS.items():
        for (free_length, theta), paper in PAPER.items():
            for kind in (PaperController, ModelController):
                began = time.perf_counter()
                found = measure(spec, kind, free_length, theta, seeds)
                success = 100.0 * np.mean([o.success for o in found])
                pitch = np.degrees(np.percentile([o.pitch_max for o in found], [50, 90]))
                over = 100.0 * np.mean([o.pitch_max > 0.5 * np.pi for o in found])
                print(
                    f"{name:11} l_f {free_length:.1f} m theta {theta:2} deg  {kind.__name__:16}"
                    f"{success:6.1f} % (paper's robot {paper} %)  pitch {pitch[0]:.0f} {pitch[1]:.0f}"
                    f"  over {over:.1f} %  [{time.perf_counter() - began:.0f} s]",
                    flush=True,
                )


if __name__ == "__main__":
    main()
