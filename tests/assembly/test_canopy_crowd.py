"""Canopies with many branches."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from canopy_scenes import IDLE, Hung, swing_from, twig

from tetherlab.plant.branch import Branch

SIXTEEN_AND_MORE = (17, 40)


def others(count):
    """Branches out of reach."""
    return [
        Branch(
            name=f"far{i}", root=(5.0 + i, -0.5, 0.0), tip=(5.0 + i, 0.5, 0.0),
            radius=0.02, stiffness=60.0, damping=0.5, inertia=0.15,
        )
        for i in range(count)
    ]  # fmt: skip


def swing_against_the_last_of(count, duration):
    """Where the robot is and how far the branch is bent that its tether meets, the last of them."""
    hung = Hung(IDLE, swing_from(-0.2, 1.5, theta_rate=1.0), branches=[*others(count - 1), twig(-0.078)])
    hung.run(duration)
    return [*hung.point, *hung.flight.bends[-1]]


@pytest.mark.parametrize("count", SIXTEEN_AND_MORE)
def test_branches_out_of_reach_change_nothing(count):
    alone, crowd = (swing_against_the_last_of(n, 0.5) for n in (1, count))
    assert abs(alone[3]) > 1e-3  # the branch was met
    assert np.array(crowd) == pytest.approx(np.array(alone), abs=1e-9)


@pytest.mark.parametrize("count", SIXTEEN_AND_MORE)
def test_every_index_is_within_its_array(count):
    """Uncompiled, where NumPy looks at each."""
    done = subprocess.run(
        [sys.executable, __file__, str(count)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[-1] != 0.0  # the branch was met


if __name__ == "__main__":
    print(json.dumps(swing_against_the_last_of(int(sys.argv[1]), 0.01)))
