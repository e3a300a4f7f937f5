"""What a cable transfers: the paper's figures, its iteration, high precision, and the largest power."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import plain
from tetherlab.vehicles.power import Cable, power_max, transfer, wire
from tetherlab.vehicles.power.transfer import loaded_current

VOLTS = st.floats(5.0, 800.0)
OHMS = st.floats(1e-4, 20.0)
SHARES = st.floats(1e-4, 0.999)  # of the largest power


def test_the_cable_of_the_paper():
    found = transfer(38.4, Cable().resistance_at(), 600.0)
    assert found.current == pytest.approx(18.84, rel=1e-3)
    assert found.drop == pytest.approx(6.56, rel=1e-3)
    assert found.loss == pytest.approx(123.6, rel=1e-3)


def test_the_iteration_of_the_paper_ends_where_the_closed_form_is():
    resistance, current, steps = Cable().resistance_at(), 600.0 / 38.4, 0
    assert current == pytest.approx(15.6, abs=0.05)  # where the paper starts
    while True:
        following = 600.0 / (38.4 - resistance * current)
        steps += 1
        if abs(following - current) < 1e-13:
            break
        current = following
    assert steps > 10
    assert transfer(38.4, resistance, 600.0).current == pytest.approx(following, rel=1e-13)


@given(volts=VOLTS, ohms=OHMS, share=SHARES)
def test_the_closed_form_against_high_precision(volts, ohms, share):
    power = share * volts**2 / (4.0 * ohms)
    with mpmath.workdps(40):
        V, R, P = mpmath.mpf(volts), mpmath.mpf(ohms), mpmath.mpf(power)
        exact = (V - mpmath.sqrt(V * V - 4 * R * P)) / (2 * R)
    assert transfer(volts, ohms, power).current == pytest.approx(float(exact), rel=1e-12)


@given(volts=VOLTS, ohms=OHMS, share=SHARES)
def test_what_the_source_gives_arrives_or_is_lost(volts, ohms, share):
    power = share * volts**2 / (4.0 * ohms)
    found = transfer(volts, ohms, power)
    assert volts * found.current == pytest.approx(power + found.loss, rel=1e-10)
    assert found.voltage * found.current == pytest.approx(power, rel=1e-10)
    assert found.voltage + found.drop == pytest.approx(volts)
    assert found.voltage >= 0.5 * volts  # the stable root


def test_without_resistance_nothing_is_lost():
    found = transfer(38.4, 0.0, 600.0)
    assert (found.drop, found.loss) == (0.0, 0.0) and math.isinf(found.power_max)


def test_at_the_largest_power_half_of_the_voltage_is_lost_and_beyond_there_is_an_explanation():
    most = power_max(38.4, 0.348)
    assert most == pytest.approx(38.4**2 / 4 / 0.348)
    edge = transfer(38.4, 0.348, most * (1.0 - 1e-12))
    assert edge.voltage == pytest.approx(19.2, rel=1e-5)
    with pytest.raises(
        InputError, match=r"1100 W cannot be transferred: from 38.4 V .* at most 1059 W"
    ) as told:
        transfer(38.4, 0.348, 1100.0)
    assert "39.13 V or more, or at most 0.335 ohm" in str(told.value)
    transfer(39.14, 0.348, 1100.0)  # what it says would help, helps
    transfer(38.4, 0.335, 1100.0)
    assert math.isnan(plain(loaded_current)(38.4, 0.348, 1.0001 * most))


@pytest.mark.parametrize(
    "gauge, millimetres, ohms",
    # Of the table in ASTM B258: diameter [mm] and resistance at 20 C [ohm/km].
    [(0, 8.251, 0.3224), (10, 2.588, 3.277), (16, 1.291, 13.17), (24, 0.5106, 84.22), (36, 0.1270, 1361.0)],
)
def test_gauges_are_those_of_the_printed_table(gauge, millimetres, ohms):
    found = wire(gauge)
    assert 1e3 * found.diameter == pytest.approx(millimetres, rel=5e-4)
    assert 1e3 * found.resistance == pytest.approx(ohms, rel=3e-3)


def test_the_wire_of_the_paper_by_its_gauge():
    made, printed = Cable.of_gauge(16, 15.0), Cable()
    assert made.resistance == pytest.approx(printed.resistance, rel=3e-3)
    assert made.linear_density == pytest.approx(printed.linear_density, rel=0.08)  # insulation is assumed


def test_both_conductors_resist_twice_and_weigh_the_same():
    once, both = Cable(), Cable(return_conductor=True)
    assert once.resistance_at() == pytest.approx(0.348)
    assert both.resistance_at() == pytest.approx(0.348 + 0.198)
    assert both.mass == once.mass == pytest.approx(0.57)


def test_warm_copper_resists_more():
    cable = Cable(connectors=0.0)
    assert cable.resistance_at(20.0 + 1.0 / 3.93e-3) == pytest.approx(2.0 * cable.resistance_at())


def test_a_cable_lighter_than_its_copper_is_refused():
    with pytest.raises(InputError, match=r"Cable.linear_density must be above 0.0232 kg/m, the copper alone"):
        Cable(linear_density=0.02)


@pytest.mark.parametrize("gauge", [-1, 41, 16.0, True])
def test_what_is_no_gauge_is_refused(gauge):
    with pytest.raises(InputError, match="gauge must be a whole number from 0 to 40"):
        wire(gauge)


@pytest.mark.parametrize("name", ["length", "resistance", "diameter"])
def test_a_cable_of_nothing_is_refused(name):
    with pytest.raises(InputError, match=rf"Cable.{name} must be > 0"):
        Cable(**{name: 0.0})


def test_gauges_grow_by_equal_ratios():
    areas = np.array([wire(gauge).area for gauge in range(0, 41)])
    assert np.allclose(areas[1:] / areas[:-1], 92.0 ** (-2 / 39))
