"""The sparse Gaussian process against an exact one, finite differences and known functions."""

import math
import zipfile

import numpy as np
import pytest

from tetherlab.contracts.errors import InputError
from tetherlab.estimation import sparse_fit
from tetherlab.estimation.k_means import assign, k_means
from tetherlab.estimation.sparse_bound import Hyper, bound, bound_and_slope, heap_up
from tetherlab.estimation.sparse_fit import fit_gp
from tetherlab.estimation.sparse_gp import HeldOut, SparseGp
from tetherlab.estimation.sparse_inputs import Scaling, Seen

HYPER = Hyper(np.array([1.0, 0.7]), np.array([0.5, 2.0]), np.array([0.1, 0.3]))


def exact(inputs, outputs, at, lengths, signal, noise):
    """An exact Gaussian process of one output: log marginal likelihood, mean, variance."""

    def cov(a, b):
        return signal * np.exp(-0.5 * (((a[:, None] - b) / lengths) ** 2).sum(2))

    whole = cov(inputs, inputs) + noise * np.eye(len(inputs))
    cross = cov(at, inputs)
    weights = np.linalg.solve(whole, outputs)
    value = -0.5 * (outputs @ weights + np.linalg.slogdet(2.0 * math.pi * whole)[1])
    return value, cross @ weights, signal - (cross * np.linalg.solve(whole, cross.T).T).sum(1)


def assembled(inputs, outputs, inducing, hyper=HYPER):
    """With given hyperparameters and inducing points; inputs are features as they are."""
    count = inputs.shape[1]
    scaling = Scaling(np.zeros(count), np.ones(count), np.zeros(count, bool))
    heap = heap_up(inputs, outputs, inducing, hyper.lengths)
    seen, nothing = Seen.of(inputs, inputs), HeldOut.nothing(outputs.shape[1])
    return SparseGp.assemble(scaling, seen, hyper, inducing, heap, nothing), bound(heap, hyper)


@pytest.fixture
def samples(random):
    return random.uniform(-3.0, 3.0, (60, 2)), random.normal(size=(60, 2))


def test_with_all_samples_as_inducing_points_it_is_the_exact_process(samples, random):
    inputs, outputs = samples
    at = random.uniform(-4.0, 4.0, (50, 2))
    gp, value = assembled(inputs, outputs, inputs)
    mean, variance, _ = gp.predict(at)
    total = 0.0
    for i in range(2):
        part, wanted, doubt = exact(inputs, outputs[:, i], at, HYPER.lengths, HYPER.signal[i], HYPER.noise[i])
        assert mean[:, i] == pytest.approx(wanted, abs=1e-6)
        assert variance[:, i] == pytest.approx(doubt, abs=1e-6)
        total += part
    assert value == pytest.approx(total, abs=1e-4)  # 120 samples, jitter 1e-9 over noise 0.1


@pytest.mark.parametrize("count", [1, 5, 20, 59])
def test_the_bound_is_below_the_exact_likelihood_and_rises_with_inducing_points(samples, count):
    inputs, outputs = samples
    few = assembled(inputs, outputs, inputs[:count])[1]
    more = assembled(inputs, outputs, inputs[: count + 1])[1]
    total = sum(
        exact(inputs, outputs[:, i], inputs, HYPER.lengths, HYPER.signal[i], HYPER.noise[i])[0]
        for i in range(2)
    )
    assert few < more <= total + 1e-4


def test_the_slope_of_the_bound_is_that_of_finite_differences(samples):
    inputs, outputs = samples
    inducing = inputs[:9] + 0.1
    at = np.log(np.concatenate(HYPER))

    def value(x):
        lengths, signal, noise = np.split(np.exp(x), (2, 4))
        return bound_and_slope(inputs, outputs, inducing, Hyper(lengths, signal, noise))[0]

    here, slope = bound_and_slope(inputs, outputs, inducing, HYPER)
    step = 1e-5
    wanted = [(value(at + step * e) - value(at - step * e)) / (2.0 * step) for e in np.eye(6)]
    assert np.concatenate(slope) == pytest.approx(wanted, rel=1e-6, abs=1e-6)
    assert here == pytest.approx(assembled(inputs, outputs, inducing)[1], rel=1e-12)


def test_chunks_of_samples_add_up(samples, monkeypatch):
    inputs, outputs = samples
    whole = heap_up(inputs, outputs, inputs[:7], HYPER.lengths)
    monkeypatch.setattr("tetherlab.estimation.sparse_bound.CHUNK", 11)
    for part, all_at_once in zip(heap_up(inputs, outputs, inputs[:7], HYPER.lengths), whole, strict=True):
        assert part == pytest.approx(all_at_once, rel=1e-10)


def test_variance_is_never_negative_and_grows_to_the_prior_far_away(samples):
    inputs, outputs = samples
    gp, _ = assembled(inputs, outputs, inputs[:30])
    mean, variance, strangeness = gp.predict(np.vstack((inputs, inputs + 1e-9, [[40.0, -40.0]])))
    assert (variance > 0.0).all()
    assert (variance < HYPER.signal + 1e-12).all()
    assert variance[-1] == pytest.approx(HYPER.signal, rel=1e-12)
    assert mean[-1] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert strangeness[-1] > 5.0 and np.median(strangeness[:60]) < 1.0


def wavy(inputs):
    x, angle, other = inputs.T
    return np.column_stack((0.05 * np.sin(x) * np.cos(angle), 0.03 * np.cos(angle) + 0.02 * other))


@pytest.fixture(scope="module")
def learned():
    """From 3000 noisy samples of a known function; the second input is an angle."""
    random = np.random.default_rng(5)
    inputs = np.column_stack(
        (
            random.uniform(-3.0, 3.0, 3000),
            random.uniform(-math.pi, math.pi, 3000),
            random.uniform(5.0, 9.0, 3000),
        )
    )
    outputs = wavy(inputs) + 0.02 * random.normal(size=(3000, 2))
    told = []
    gp = fit_gp(inputs, outputs, inducing=60, circular=(1,), progress=lambda *news: told.append(news))
    return gp, inputs, told


def test_a_known_function_and_its_noise_are_recovered_with_honest_doubt(learned, random):
    gp = learned[0]
    inputs = np.column_stack(
        (random.uniform(-3, 3, 4000), random.uniform(-math.pi, math.pi, 4000), random.uniform(5, 9, 4000))
    )
    mean, variance, _ = gp.predict(inputs)
    off = mean - wavy(inputs)
    assert np.sqrt((off**2).mean(0)).max() < 0.0035  # of 0.02 noise
    assert np.sqrt(gp.hyper.noise) == pytest.approx([0.02, 0.02], rel=0.05)
    # fresh samples are off by as much as the model says: z-scores of deviation 1, few beyond 3
    sample = wavy(inputs) + 0.02 * random.normal(size=off.shape)
    z = (sample - mean) / np.sqrt(variance + gp.hyper.noise)
    assert z.std(0) == pytest.approx([1.0, 1.0], abs=0.06)
    assert abs(z.mean(0)).max() < 0.1 and (abs(z) > 3.0).mean() < 0.006
    # and so is the function itself
    assert 0.5 < (off**2 / variance).mean() < 2.0


def test_an_angle_wraps(learned):
    gp = learned[0]
    here = np.array([[0.4, math.pi - 1e-7, 6.0], [1.0, 0.3, 7.0]])
    there = here + np.array([[0.0, 2e-7 - 2.0 * math.pi, 0.0], [0.0, 6.0 * math.pi, 0.0]])
    for one, other in zip(gp.predict(here), gp.predict(there), strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_one_point_is_the_compiled_twin_of_many(learned):
    gp, inputs, _ = learned
    rows = np.vstack((inputs[:40], [[90.0, 1.0, -40.0]]))
    many = gp.predict(rows)
    for i, row in enumerate(rows):
        mean, variance, strangeness = gp.predict_one(row)
        assert mean == pytest.approx(many.mean[i], rel=1e-7, abs=1e-9)
        assert variance == pytest.approx(many.variance[i], rel=1e-6, abs=1e-10)
        assert strangeness == pytest.approx(many.strangeness[i], rel=1e-9)


def test_progress_runs_to_the_end(learned):
    told = learned[2]
    assert [name for name, _ in told][:1] == ["inducing points"] and told[-1] == ("all samples", 1.0)
    shares = [share for name, share in told if name == "hyperparameters"]
    assert shares == sorted(shares) and len(shares) > 5 and shares[-1] <= 1.0


def test_the_same_seed_gives_the_same_model(monkeypatch, random):
    monkeypatch.setattr(sparse_fit, "LEARNED_MAX", 100)
    monkeypatch.setattr(sparse_fit, "CLUSTERED_MAX", 150)
    inputs = random.normal(size=(200, 2))
    outputs = np.sin(inputs[:, :1]) + 0.1 * random.normal(size=(200, 1))
    one, two, other = (fit_gp(inputs, outputs, inducing=10, seed=seed) for seed in (3, 3, 4))
    assert (one.predict(inputs).mean == two.predict(inputs).mean).all()
    assert (one.inducing != other.inducing).any()


def test_what_is_not_among_samples_together_is_strange_although_each_value_is_familiar(random):
    first = random.uniform(-1.0, 1.0, 500)
    inputs = np.column_stack((first, first + 0.02 * random.normal(size=500)))
    gp = fit_gp(inputs, first[:, None] ** 2, inducing=10)
    along, across = gp.predict([[0.5, 0.5], [0.5, -0.5]]).strangeness
    assert along < 1.0 and across > 5.0
    assert (gp.predict(inputs).strangeness <= 1.0).mean() > 0.97


def test_a_file_holds_all_of_the_model(learned, tmp_path):
    gp, inputs, _ = learned
    path = tmp_path / "model.npz"
    gp.save(path)
    again = SparseGp.load(path)
    for one, other in zip(gp.predict(inputs[:20]), again.predict(inputs[:20]), strict=True):
        assert (one == other).all()
    assert (again.predict_one(inputs[3])[0] == gp.predict_one(inputs[3])[0]).all()


def rewritten(source, target, changes):
    with np.load(source) as file:
        arrays = {**dict(file), **changes}
    np.savez(target, **{name: value for name, value in arrays.items() if value is not None})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": np.array(99)}, "has format 99, this version reads 1"),
        ({"mark": np.array("else")}, "not a learned model"),
        ({"weights": None}, "array 'weights' is missing"),
        ({"extra": np.zeros(1)}, "array 'extra' is not known"),
        ({"weights": np.zeros((3, 2))}, r"array 'weights' has shape \(3, 2\), which does not fit"),
        ({"spread": np.zeros(2, int)}, "array 'spread' has shape"),
        ({"spread": np.array([1.0, math.nan])}, "array 'spread' holds a number that is not finite"),
        ({"hyper.noise": np.zeros(2)}, "array 'hyper.noise' must be > 0"),
    ],
)
def test_a_wrong_file_is_refused_with_a_reason(learned, tmp_path, changes, message):
    learned[0].save(tmp_path / "good.npz")
    rewritten(tmp_path / "good.npz", tmp_path / "bad.npz", changes)
    with pytest.raises(InputError, match=f"bad.npz: {message}"):
        SparseGp.load(tmp_path / "bad.npz")


class Trap:
    """Would leave a file behind if it were unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_nothing_in_a_file_is_run(learned, tmp_path):
    learned[0].save(tmp_path / "good.npz")
    trap = np.array([Trap(tmp_path / "sprung")], object)
    rewritten(tmp_path / "good.npz", tmp_path / "bad.npz", {"weights": trap})
    with pytest.raises(InputError, match="damaged, or not a learned model"):
        SparseGp.load(tmp_path / "bad.npz")
    assert not (tmp_path / "sprung").exists()


def test_what_is_no_such_file_is_refused(learned, tmp_path):
    with pytest.raises(InputError, match="no such file"):
        SparseGp.load(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("hello")
    with zipfile.ZipFile(tmp_path / "zip.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    learned[0].save(tmp_path / "good.npz")
    (tmp_path / "half.npz").write_bytes((tmp_path / "good.npz").read_bytes()[:2000])
    for name in ("text.npz", "zip.npz", "half.npz"):
        with pytest.raises(InputError, match=f"{name}: damaged, or not a learned model"):
            SparseGp.load(tmp_path / name)


@pytest.mark.parametrize(
    ("inputs", "outputs", "inducing", "message"),
    [
        (np.zeros((4, 2)), np.ones((3, 1)), 2, "as many rows, got 4 and 3"),
        (np.zeros((4, 2)), np.ones((4, 1)), 5, "inducing must be from 1 to the number of samples, 4, got 5"),
        (np.zeros((4, 2)), np.zeros((4, 1)), 2, "nothing to learn"),
        (np.full((4, 2), math.nan), np.ones((4, 1)), 2, "inputs must be finite"),
    ],
)
def test_samples_that_nothing_can_be_learned_from_are_refused(inputs, outputs, inducing, message):
    with pytest.raises(InputError, match=message):
        fit_gp(inputs, outputs, inducing=inducing)


def test_k_means_finds_separate_heaps_and_assigns_as_brute_force_does(random):
    middles = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [10.0, 10.0]])
    points = np.repeat(middles, 50, 0) + 0.1 * random.normal(size=(200, 2))
    centres = k_means(points, 4)
    assert np.sort(np.hypot(*(centres[:, None] - middles).T).min(0)) == pytest.approx(np.zeros(4), abs=0.1)
    nearest, square = assign(points, centres)
    all_squares = ((points[:, None] - centres) ** 2).sum(2)
    assert (nearest == all_squares.argmin(1)).all()
    assert square == pytest.approx(all_squares.min(1), abs=1e-10)
    assert (k_means(points, 7, seed=2) == k_means(points, 7, seed=2)).all()
    # each centre is the mean of what is nearest to it, once no step helps
    assert centres == pytest.approx(np.array([points[nearest == i].mean(0) for i in range(4)]), abs=1e-12)


def test_k_means_of_few_distinct_points_gives_each_once():
    points = np.repeat([[1.0, 2.0], [3.0, 4.0]], 5, 0)
    assert sorted(k_means(points, 6).tolist()) == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(InputError, match="count must be from 1 to the number of points, 10, got 11"):
        k_means(points, 11)
