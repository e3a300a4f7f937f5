"""What is said of the state of a tether."""

import numpy as np
import pytest
from tether_scenes import make_spec

import tetherlab as tl
from tetherlab.tether.readout import strains
from tetherlab.tether.state_summary import BROKEN_SHOWN, describe


def hanging(**options):
    return tl.Tether(make_spec(), **{"base": (0, 0, 1), "end": (2, 0, 1), "length": 2.5, **options})


def line(tether, word):
    (found,) = [text for text in describe(tether._memory, tether.world.names) if text.startswith(word)]
    return found


def test_strain_is_tension_over_stiffness_where_nothing_moves():
    tether = hanging(length=1.999)
    for _ in range(100):
        tether.step(0.05)
    assert strains(tether._state) == pytest.approx(tether.tensions / tether.spec.axial_stiffness, rel=1e-3)


def test_strain_leaves_out_the_offset_of_a_chord():
    """A shape that is too short starts without compression."""
    with pytest.warns(UserWarning, match="too short"):
        tether = hanging(length=2.03, shape=[(0, 0, 1), (2, 0, 1)])
    assert np.abs(strains(tether._state)).max() < 1e-12


def test_strain_of_an_element_that_is_wrapped_is_that_of_its_path():
    pole = tl.shapes.Cylinder(start=(0, -1, 0), end=(0, 1, 0), radius=0.02)
    world = tl.World([pole])
    tether = hanging(
        base=(-1, 0, -0.5), end=(1, 0, -0.5), length=2.25, element_length=0.45, world=world,
        shape=[(-1, 0, -0.5), (0, 0, 0.03), (1, 0, -0.5)],
    )  # fmt: skip
    for _ in range(200):
        tether.step(0.01)
    wrapped = np.flatnonzero(tether._state.wrap["active"][: len(tether.tensions)])
    assert len(wrapped)
    # Friction on the pole: both legs pull differently, each stretches its own share of the element.
    wrap, rest = tether._state.wrap[wrapped], tether._state.rest[wrapped]
    legs = wrap["rest_a"] * wrap["tension_a"] + (rest - wrap["rest_a"]) * wrap["tension_b"]
    expected = legs / rest / tether.spec.axial_stiffness
    assert strains(tether._state)[wrapped] == pytest.approx(expected, abs=1e-5)


def test_an_element_without_length_is_said_and_has_no_strain():
    tether = hanging()
    tether._state.rest[4] = -0.01
    tether._state.rest[7] = np.nan
    said = describe(tether._memory, ())
    assert "broken      element 4 has a rest length of -0.01 m" in said
    assert "broken      element 7 has a rest length of nan m" in said
    low, high = (float(word) for word in line(tether, "strain").split() if word[-1].isdigit() and "." in word)
    assert -1.0 < low < high < 1.0
    tether._state.rest[:] = 0.0
    said = describe(tether._memory, ())
    assert sum(text.startswith("broken") for text in said) == BROKEN_SHOWN + 1
    assert not any(text.startswith("strain") for text in said)
