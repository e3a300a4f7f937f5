"""Rows over a wall: Eq. (5) to (9) of paper 003, with the corrections of (6), (8) and (9)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tetherlab.contracts.errors import InputError
from tetherlab.missions.sweep import SweepSpec, plan_sweep

CAMERA = {"tan_half_width": math.tan(math.radians(35)), "tan_half_height": math.tan(math.radians(27.5))}


def test_rows_of_a_wall_by_hand():
    # 90 degrees at 1 m: 2 m tall; with a quarter of overlap 1.5 m are new; 4 m take 3 rows of 4/3 m.
    sweep = plan_sweep(
        SweepSpec(distance=1.0, overlap=0.25, overlap_lateral=0.9, speed_max=9.0),
        height=4.0,
        tan_half_width=2.0,
        tan_half_height=1.0,
        frame_rate=5.0,
    )
    assert sweep.footprint == (4.0, 2.0)
    assert np.allclose(sweep.heights, [4 / 6, 2.0, 20 / 6])
    assert sweep.speed == pytest.approx(4.0 * 5.0 * 0.1)


def test_the_speed_of_table_3_is_slow_enough_for_its_pictures():
    sweep = plan_sweep(SweepSpec(distance=1.0), height=3.0, frame_rate=5.0, **CAMERA)
    assert sweep.speed == 0.35


@given(
    height=st.floats(0.5, 30.0),
    distance=st.floats(0.5, 4.0),
    overlap=st.floats(0.0, 0.9),
    lateral=st.floats(0.0, 0.95),
    rate=st.floats(0.5, 30.0),
)
def test_rows_reach_from_floor_to_ceiling_and_overlap_as_wanted(height, distance, overlap, lateral, rate):
    spec = SweepSpec(distance=distance, overlap=overlap, overlap_lateral=lateral, speed_max=1000.0)
    sweep = plan_sweep(spec, height=height, frame_rate=rate, **CAMERA)
    width, tall = sweep.footprint
    assert sweep.heights[0] - tall / 2 <= 1e-9
    assert sweep.heights[-1] + tall / 2 >= height - 1e-9
    shared = tall - sweep.spacing
    if len(sweep.heights) > 1:
        assert shared >= overlap * tall - 1e-6
        fewer = height / (len(sweep.heights) - 1)
        assert tall - fewer < overlap * tall + 1e-6, "one row less would do"
    assert 1.0 - sweep.speed / rate / width == pytest.approx(lateral)


def test_an_overlap_of_one_would_take_endless_rows():
    with pytest.raises(InputError, match="overlap must be at least 0 and below 1, got 1"):
        SweepSpec(overlap=1.0)
