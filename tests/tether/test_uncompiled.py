"""NUMBA_DISABLE_JIT runs the engine as plain Python, slowly, for debuggers and coverage."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from tether_scenes import make_spec

import tetherlab as tl


def nodes_after_a_step():
    """Of a weight on the ground, and a tether that is being paid out."""
    tether = tl.Tether(
        make_spec(), base=(0, 0, 1), end=(0.3, 0, 0.1), length=1.0, element_length=0.35,
        world=tl.World.ground(), end_body=tl.PointMass(0.2, radius=0.1),
    )  # fmt: skip
    batch = tl.TetherBatch([tether])
    tether.step(0.01, reel_speed=0.3)
    batch.step(0.01, reel_speed=0.3)
    assert np.array_equal(batch[0].nodes, tether.nodes)
    return tether.nodes


def test_a_step_without_compiling_gives_the_same():
    done = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    # Machine code may round a product and a sum in one.
    assert np.array(json.loads(done.stdout)) == pytest.approx(nodes_after_a_step(), abs=1e-9)


if __name__ == "__main__":
    print(json.dumps(nodes_after_a_step().tolist()))
