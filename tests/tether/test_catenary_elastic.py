"""The elastic catenary: limits, closed forms, and an integration that knows nothing of them."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tetherlab.contracts.errors import InputError
from tetherlab.tether.catenary import Catenary
from tetherlab.tether.catenary_elastic import ElasticCatenary

DENSITY = 0.022  # [kg/m]
WEIGHT = DENSITY * 9.80665


def decades(low, high):
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


@st.composite
def layouts(draw):
    """(span, rise, weight over stiffness) per unstretched length: slack, taut and steep in many decades."""
    compliance = draw(decades(-13.0, 1.0))
    if draw(st.booleans()):
        angle = draw(st.floats(-math.pi / 2, math.pi / 2))
        distance = 1.0 + draw(st.sampled_from((-1.0, 1.0))) * draw(decades(-14.0, -0.01))
        return max(distance * math.cos(angle), 1e-12), distance * math.sin(angle), compliance
    span = draw(st.one_of(st.floats(0.0, 2.0), decades(-12.0, 2.0)))
    rise = draw(st.sampled_from((-1.0, 0.0, 1.0))) * draw(st.one_of(st.floats(0.0, 2.0), decades(-12.0, 2.0)))
    return span, rise, compliance


def integrate(curve, steps):
    """End position by Runge-Kutta along the material: stretch times direction of the force, from the base."""
    force = curve.end_forces().on_base
    gravity = np.array((0.0, 0.0, curve.weight))

    def slope(s):
        pull = force + gravity * s
        tension = np.linalg.norm(pull)
        return (1.0 + tension / curve.axial_stiffness) * pull / tension

    position, ds = curve.base.copy(), curve.length / steps
    for i in range(steps):
        s = i * ds
        position += ds / 6.0 * (slope(s) + 4.0 * slope(s + ds / 2) + slope(s + ds))
    return position


@settings(deadline=None, max_examples=400)
@given(layouts(), decades(-2.0, 3.0))
def test_the_curve_reaches_its_end_for_every_layout(layout, length):
    span, rise, compliance = layout
    end = np.array((0.6 * span, -0.8 * span, rise)) * length
    curve = ElasticCatenary.between((0, 0, 0), end, length, DENSITY, WEIGHT * length / compliance)
    last = curve.position(np.nextafter(length, 0.0))
    assert np.abs(last - end).max() <= 2e-12 * max(length, math.hypot(*end))
    assert curve.stretched_length >= max(math.hypot(*end) * (1 - 1e-12), length)


@pytest.mark.parametrize(
    ("span", "rise", "compliance"),
    [
        (2.8e-3, 1.0476, 1.0361),
        (9.2e-4, -1.6172, 9.3597),
        (1.55e-12, 1.0000002661, 0.0513),
        (1.37e-12, -1.0000000000000637, 8.48e-13),
        (5.6e-9, -0.9887, 0.4723),
        (1e-90, 0.3, 0.5),
        (1e-90, 3.0, 0.5),
    ],
)
def test_steep_layouts_where_a_newton_step_leaps_too_far(span, rise, compliance):
    curve = ElasticCatenary.between((0, 0, 0), (span, 0, rise), 1.0, DENSITY, WEIGHT / compliance)
    last = curve.position(np.nextafter(1.0, 0.0))
    assert last[2] == pytest.approx(rise, rel=1e-12)
    assert last[0] == pytest.approx(span, rel=1e-4, abs=1e-14)


@pytest.mark.parametrize("length", [3.0, 4.9, 5.0, 5.05, 7.0, 20.0])
@pytest.mark.parametrize("stiffness", [2.0, 100.0, 1e5])
def test_an_integration_along_the_material_arrives_at_the_end(length, stiffness):
    curve = ElasticCatenary.between((1, 0, 2), (4, 0, 6), length, DENSITY, stiffness)
    assert np.allclose(integrate(curve, 4000), curve.end, rtol=0, atol=1e-7)


@pytest.mark.parametrize("slack", [1e-9, 1e-6, 1e-3, 0.1, 3.0])
def test_a_stiff_tether_is_the_inextensible_one(slack):
    end = np.array((3.0, 1.0, 2.0))
    length = math.hypot(*end) * (1 + slack)
    rigid = Catenary.between((0, 0, 0), end, length)
    arcs = np.linspace(0, length, 21)
    errors = []
    for stiffness in (1e4, 1e6, 1e8, 1e10, 1e12, 1e14, 1e16, 1e18, 1e24):
        curve = ElasticCatenary.between((0, 0, 0), end, length, DENSITY, stiffness)
        shape = np.abs(curve.position(arcs) - rigid.position(arcs)).max()
        tension = np.abs(curve.tension(arcs) / rigid.tension(arcs, DENSITY) - 1.0).max()
        errors.append(max(shape, tension))
    # First order in 1/EA, once the stretch is small against the slack and until rounding takes over.
    ratios = [first / next_ for first, next_ in pairwise(errors[:-1]) if first < 1e-2 and next_ > 1e-11]
    assert ratios
    assert ratios == pytest.approx([100.0] * len(ratios), rel=0.05)
    assert errors[-1] < 1e-9
    assert curve.stretched_length == pytest.approx(length, rel=1e-12)
    exact, limit = rigid.end_force_derivatives(DENSITY), curve.end_force_derivatives()
    for one, other in zip(exact, limit, strict=True):
        assert np.allclose(one, other, rtol=1e-6, atol=1e-6 * np.abs(exact.on_end_by_end).max())


@pytest.mark.parametrize("rise", [6.0, -6.0])
def test_a_vertical_stretched_tether_is_a_spring_with_weight(rise):
    length, stiffness = 5.0, 50.0
    curve = ElasticCatenary.between((1, 1, 0), (1, 1, rise), length, DENSITY, stiffness)
    # Strain at mid-length is the mean strain: stiffness*(6 − 5)/5 pulls there.
    mean = stiffness * (6.0 - length) / length
    assert curve.tension(2.5) == pytest.approx(mean)
    top, bottom = (length, 0.0) if rise > 0 else (0.0, length)
    assert curve.tension(top) == pytest.approx(mean + WEIGHT * 2.5)
    assert curve.tension(bottom) == pytest.approx(mean - WEIGHT * 2.5)
    assert curve.stretched_length == pytest.approx(6.0, rel=1e-14)
    assert np.allclose(curve.position(np.nextafter(length, 0)), (1, 1, rise), rtol=1e-14)
    pull = -curve.end_force_derivatives().on_end_by_end
    assert pull[2, 2] == pytest.approx(stiffness / length)
    # Sideways it is a pendulum; nearby curves with a span must agree.
    nearby = ElasticCatenary.between((1, 1, 0), (1 + 1e-6, 1, rise), length, DENSITY, stiffness)
    assert pull[0, 0] == pytest.approx(pull[1, 1], rel=1e-14)
    assert np.allclose(pull, -nearby.end_force_derivatives().on_end_by_end, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("rise", [2.0, -2.0, 0.0])
def test_two_vertical_legs_stretch_under_their_own_weight(rise):
    length, stiffness = 5.0, 4.0
    curve = ElasticCatenary.between((0, 0, 0), (0, 0, rise), length, DENSITY, stiffness)
    turn = curve.lowest_arc_length
    assert 0 < turn < length
    assert curve.tension(turn) == pytest.approx(0.0, abs=1e-15)
    # A leg of unstretched length l hanging free is l + w l²/2EA long.
    legs = [leg + WEIGHT * leg**2 / (2 * stiffness) for leg in (turn, length - turn)]
    assert legs[1] - legs[0] == pytest.approx(rise, abs=1e-14)
    assert curve.lowest_point[2] == pytest.approx(-legs[0])
    assert curve.stretched_length == pytest.approx(sum(legs), rel=1e-14)
    above = ElasticCatenary.between((0, 0, 0), (0, 0, rise + 1e-6), length, DENSITY, stiffness).end_forces()
    below = ElasticCatenary.between((0, 0, 0), (0, 0, rise - 1e-6), length, DENSITY, stiffness).end_forces()
    measured = (above.on_end[2] - below.on_end[2]) / 2e-6
    assert curve.end_force_derivatives().on_end_by_end[2, 2] == pytest.approx(measured, rel=1e-6)
    longer = ElasticCatenary.between((0, 0, 0), (0, 0, rise), length + 1e-6, DENSITY, stiffness).end_forces()
    shorter = ElasticCatenary.between((0, 0, 0), (0, 0, rise), length - 1e-6, DENSITY, stiffness).end_forces()
    measured = (longer.on_end[2] - shorter.on_end[2]) / 2e-6
    assert curve.end_force_derivatives().on_end_by_length[2] == pytest.approx(measured, rel=1e-6)


def test_a_light_stretched_tether_is_a_straight_spring():
    end = np.array((3.0, 0.0, 4.0))
    curve = ElasticCatenary.between((0, 0, 0), end, 4.0, 1e-7, 100.0)
    assert curve.tension(2.0) == pytest.approx(100.0 * (5.0 - 4.0) / 4.0, rel=1e-6)
    assert np.allclose(curve.sample(9), np.outer(np.linspace(0, 1, 9), end), atol=1e-6)
    direction = end / 5.0
    pull = -curve.end_force_derivatives().on_end_by_end
    assert direction @ pull @ direction == pytest.approx(100.0 / 4.0, rel=1e-5)
    assert pull[1, 1] == pytest.approx(25.0 / 5.0, rel=1e-5)


@settings(deadline=None, max_examples=60)
@given(layouts())
def test_stretched_length_is_the_integral_of_the_strain(layout):
    span, rise, compliance = layout
    curve = ElasticCatenary.between((0, 0, 0), (span, 0, rise), 1.0, DENSITY, WEIGHT / compliance)
    # Simpson pieces that meet at the lowest point, where the tension may have a kink.
    total = 0.0
    for low, high in ((0.0, curve.lowest_arc_length), (curve.lowest_arc_length, 1.0)):
        s = low + (high - low) * np.linspace(0.0, 1.0, 401) ** 4
        middle = 0.5 * (s[1:] + s[:-1])
        strain, inner = curve.strain(s), curve.strain(middle)
        total += np.sum(np.diff(s) / 6.0 * (strain[:-1] + 4.0 * inner + strain[1:]))
    assert curve.stretched_length - 1.0 == pytest.approx(total, rel=1e-4, abs=1e-15)


@settings(deadline=None, max_examples=60)
@given(layouts(), st.floats(-math.pi, math.pi))
def test_swapping_and_turning_carry_the_curve_along(layout, yaw):
    span, rise, compliance = layout
    stiffness = WEIGHT / compliance
    end = np.array((span * math.cos(yaw), span * math.sin(yaw), rise))
    curve = ElasticCatenary.between((0, 0, 0), (span, 0, rise), 1.0, DENSITY, stiffness)
    points = curve.sample(7)
    size = max(1.0, math.hypot(span, rise))
    swapped = ElasticCatenary.between((span, 0, rise), (0, 0, 0), 1.0, DENSITY, stiffness)
    assert np.allclose(swapped.sample(7)[::-1], points, rtol=0, atol=1e-7 * size)
    turned = ElasticCatenary.between((0, 0, 0), end, 1.0, DENSITY, stiffness).sample(7)
    flat = np.column_stack((points[:, 0] * math.cos(yaw), points[:, 0] * math.sin(yaw), points[:, 2]))
    assert np.allclose(turned, flat, rtol=0, atol=1e-7 * size)


def test_tension_strain_and_forces_tell_the_same_story():
    curve = ElasticCatenary.between((0, 0, 0), (4, 3, 2), 5.0, DENSITY, 30.0)
    forces = curve.end_forces()
    assert np.linalg.norm(forces.on_base) == pytest.approx(curve.tension(0.0))
    assert np.linalg.norm(forces.on_end) == pytest.approx(curve.tension(5.0))
    assert np.allclose(forces.on_base + forces.on_end, (0, 0, -WEIGHT * 5.0))
    assert np.hypot(*forces.on_base[:2]) == pytest.approx(curve.horizontal_tension)
    assert curve.strain(1.0) == pytest.approx(curve.tension(1.0) / 30.0)
    assert np.allclose(forces.on_base, curve.tension(0.0) * curve.tangent(0.0))
    assert np.allclose(forces.on_end, -curve.tension(5.0) * curve.tangent(5.0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((0, 0, 0), (1, 0, 0), 0.0, 0.02, 1e4), "length must be > 0, got 0"),
        (((0, 0, 0), (1, 0, 0), 1.0, 0.0, 1e4), "linear_density must be > 0, got 0"),
        (((0, 0, 0), (1, 0, 0), 1.0, 0.02, -5.0), "axial_stiffness must be > 0, got -5"),
        (((0, 0, 0), (1, 0, math.inf), 1.0, 0.02, 1e4), "end must be finite, got inf at end[2]"),
        (((0, 0, 0), (1, 0, 0), 1.0, 0.02, 1e4, math.nan), "gravity must be finite, got nan"),
    ],
)
def test_bad_input_gets_one_clear_sentence(arguments, message):
    with pytest.raises(InputError) as error:
        ElasticCatenary.between(*arguments)
    assert message in str(error.value)
