"""Many catenaries at once: the same answers as one by one, and a status for each row."""

import math

import numpy as np
import pytest

from tetherlab.contracts.errors import InputError
from tetherlab.tether import catenary_status
from tetherlab.tether.catenary import Catenary
from tetherlab.tether.catenary_status import CatenaryStatus


@pytest.fixture
def rows():
    rng = np.random.default_rng(7)
    bases = rng.normal(size=(200, 3))
    ends = bases + rng.normal(size=(200, 3)) * 10.0 ** rng.uniform(-2, 2, size=(200, 1))
    ends[:20, :2] = bases[:20, :2]
    lengths = np.linalg.norm(ends - bases, axis=1) * (1 + 10.0 ** rng.uniform(-9, 1, size=200))
    return bases, ends, lengths


def test_rows_agree_with_single_curves(rows):
    batch = Catenary.batch(*rows)
    points = batch.sample(11)
    assert batch.rows(CatenaryStatus.OK).all()
    for i, (base, end, length) in enumerate(zip(*rows, strict=True)):
        curve = Catenary.between(base, end, length)
        assert batch.parameter[i] == curve.parameter
        assert batch.sigma_base[i] == curve.sigma_base
        assert np.allclose(batch.lowest_point[i], curve.lowest_point, rtol=1e-14, atol=1e-14 * length)
        assert np.allclose(batch.tangent_base[i], curve.tangent(0.0), rtol=0, atol=1e-15)
        assert np.allclose(batch.tangent_end[i], curve.tangent(length), rtol=0, atol=1e-15)
        assert batch.tension_base[i] == pytest.approx(curve.tension(0.0, 1.0, 1.0), rel=1e-15)
        assert batch.tension_end[i] == pytest.approx(curve.tension(length, 1.0, 1.0), rel=1e-15)
        assert np.allclose(points[i], curve.sample(11), rtol=1e-14, atol=1e-14 * length)
    assert np.array_equal(points[:, 0], rows[0])
    assert np.array_equal(points[:, -1], rows[1])


def test_a_bad_row_gets_a_status_and_spoils_no_other():
    ends = [(3, 0, 4), (3, 0, 4), (3, 0, 4), (3, math.nan, 4), (3, 0, 4), (3, 0, 4), (3, 0, -4)]
    lengths = [6.0, 5.0, 4.9, 6.0, math.inf, -1.0, 5.0]
    batch = Catenary.batch((0, 0, 0), ends, lengths)
    statuses = [CatenaryStatus.from_code(code) for code in batch.status]
    assert statuses == [
        CatenaryStatus.OK,
        CatenaryStatus.TAUT,
        CatenaryStatus.TOO_SHORT,
        CatenaryStatus.NOT_FINITE,
        CatenaryStatus.NOT_FINITE,
        CatenaryStatus.NOT_FINITE,
        CatenaryStatus.TAUT,
    ]
    assert np.isfinite(batch.parameter[0])
    assert np.array_equal(batch.parameter[[1, 6]], (math.inf, math.inf))
    assert np.allclose(batch.tangent_end[1], (0.6, 0, 0.8))
    assert np.array_equal(batch.lowest_point[[1, 6]], [(0, 0, 0), (3, 0, -4)])
    assert np.isnan(batch.parameter[2:6]).all()
    assert np.isnan(batch.lowest_point[2:6]).all()
    points = batch.sample(3)
    assert np.allclose(points[1], [(0, 0, 0), (1.5, 0, 2), (3, 0, 4)])
    assert np.isnan(points[2:6]).all()


def test_one_base_and_one_length_serve_all_rows():
    ends = np.array(((3.0, 0.0, 1.0), (0.0, 2.0, 1.0)))
    shared = Catenary.batch((1, 1, 0), ends, 6.0)
    spelled_out = Catenary.batch([(1, 1, 0), (1, 1, 0)], ends, [6.0, 6.0])
    assert np.array_equal(shared.parameter, spelled_out.parameter)
    assert len(Catenary.batch((0, 0, 0), (1, 1, 1), 2.0).parameter) == 1
    assert len(Catenary.batch(np.empty((0, 3)), np.empty((0, 3)), np.empty(0)).parameter) == 0


def test_every_status_owns_its_code_and_its_sentence():
    for code, status in enumerate(CatenaryStatus):
        assert status.code == code
        assert getattr(catenary_status, status.name) == code
        assert CatenaryStatus.from_code(np.int8(code)) is status
        assert len(status.value.split()) > 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((0, 0, 0), (1, 1), 2.0), "ends must have shape (n, 3) or (3,), got (2,)"),
        (((0, 0, 0), [(1, 1, 1)] * 3, [2.0, 3.0]), "same number of rows (or one for all), got 1, 3 and 2"),
        (((0, 0, 0), (1, 1, 1), "long"), "lengths must be numbers of shape (n,) or a number, got 'long'"),
    ],
)
def test_bad_shapes_get_one_clear_sentence(arguments, message):
    with pytest.raises(InputError) as error:
        Catenary.batch(*arguments)
    assert message in str(error.value)


def test_a_batch_needs_two_samples_or_more():
    with pytest.raises(InputError, match="n must be a whole number >= 2"):
        Catenary.batch((0, 0, 0), (1, 1, 1), 2.0).sample(1)
