"""Which model is believed, by rule and by a tree that was trained, and when none is; and the tree itself."""

import math
from dataclasses import replace

import numpy as np
import pytest
from survey_scenes import SENSING, disturbed, normals, scene, straight_scene

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import Estimate, EstimateStatus
from tetherlab.estimation.catenary import CatenaryLocalizer
from tetherlab.estimation.decision_tree import LEAF, DecisionTree
from tetherlab.estimation.selector import NONE, ModelSelector
from tetherlab.estimation.sensing import SensorNoise
from tetherlab.estimation.taut_line import TautLineLocalizer

SAGGING = scene((2.0, 1.0, 3.0), 3.85)
STRAIGHT = straight_scene((2.0, 1.0, 3.0), 300.0)


class Oracle:
    """Stands for a learned model that knows the answer within a deviation."""

    def __init__(self, position, deviation, status=EstimateStatus.OK):
        self.estimate = Estimate(0.0, np.array(position, float), deviation**2 / 3 * np.eye(3), status)
        self.resets = 0

    def update(self, measurement):
        return replace(self.estimate, time=measurement.time)

    def reset(self):
        self.resets += 1


# By rule.


def test_a_straight_tether_is_left_to_the_line_and_a_sagging_one_to_the_curve():
    """The line needs one noisy angle less."""
    selector = ModelSelector(SENSING)
    for measurement, name, model in (
        (STRAIGHT, "taut", TautLineLocalizer(SENSING, which="base")),
        (SAGGING, "catenary", CatenaryLocalizer(SENSING)),
    ):
        estimate = selector.update(measurement)
        assert selector.choice.model == name
        assert np.array_equal(estimate.position, model.update(measurement).position)
        assert estimate.status is EstimateStatus.OK


def test_the_choice_changes_where_sag_and_noise_are_equal():
    """Expected: sqrt(trace)² of the line plus (L bend)², against that of the curve."""
    selector, chosen = ModelSelector(SENSING), []
    for tension in np.geomspace(1.0, 1e3, 40):
        selector.update(straight_scene((2.0, 1.0, 3.0), tension))
        chosen.append(selector.choice.model)
        taut, curve = (
            model.update(straight_scene((2.0, 1.0, 3.0), tension)).covariance.trace()
            for model in (TautLineLocalizer(SENSING, which="base"), CatenaryLocalizer(SENSING))
        )
        length = math.sqrt(14.0)
        sag = SENSING.weight * length * math.hypot(2.0, 1.0) / length / tension / 2 * length
        if abs(taut + sag**2 - curve) > 0.05 * curve and chosen[-1] is not None:
            assert chosen[-1] == ("taut" if taut + sag**2 < curve else "catenary")
    assert chosen[-1] == "taut"
    assert chosen.index("taut") > 0
    assert set(chosen[chosen.index("taut") :]) == {"taut"}


def test_none_is_believed_when_none_is_expected_near_enough():
    poor = replace(SENSING, noise=SensorNoise(elevation_base=0.2, elevation_end=0.3))
    selector = ModelSelector(poor)
    estimate = selector.update(SAGGING)
    assert estimate.status is EstimateStatus.CANNOT_SAY
    assert np.isnan(estimate.position).all()
    assert selector.choice.why == "no model is expected within 0.45 m"
    assert ModelSelector(poor, error_max=2.0).update(SAGGING).status is EstimateStatus.OK


@pytest.mark.parametrize(("deviation", "expected"), [(0.01, "learned"), (0.5, "catenary")])
def test_a_learned_model_is_believed_when_it_is_surer(deviation, expected):
    oracle = Oracle((2.0, 1.0, 3.0), deviation)
    selector = ModelSelector(SENSING, learned=oracle)
    selector.update(SAGGING)
    assert selector.choice.model == expected
    selector.reset()
    assert oracle.resets == 1


def test_a_model_that_doubts_itself_is_not_believed():
    oracle = Oracle((0, 0, 0), 0.001, EstimateStatus.FAULT)
    selector = ModelSelector(SENSING, learned=oracle)
    selector.update(SAGGING)
    assert selector.choice.model == "catenary"
    wrapped = replace(SAGGING, tension=30.0)
    assert ModelSelector(SENSING).update(wrapped).status is EstimateStatus.CANNOT_SAY


@pytest.mark.parametrize(
    ("measurement", "sensing", "why"),
    [
        (replace(SAGGING, saturated=("tension",)), SENSING, EstimateStatus.SATURATED.value),
        (scene((-3.0, 3.0, 1.0), 4.8), replace(SENSING, ground=-0.2), EstimateStatus.GROUND.value),
        (replace(SAGGING, altitude=0.3), SENSING, "the drone is lower than 0.5 m"),
        (replace(SAGGING, base=np.array([0.0, 0.0, -2.4])), replace(SENSING, ground=-2.5), None),
        (
            straight_scene((2.0, 1.0, 0.3), 300.0),
            replace(SENSING, ground=0.0),
            "the drone is lower than 0.5 m",
        ),
    ],
)
def test_no_position_is_given_where_assumptions_fail(measurement, sensing, why):
    for tree in (None, always("catenary")):
        selector = ModelSelector(sensing, tree=tree)
        status = selector.update(measurement).status
        if why is None:
            assert status is EstimateStatus.OK
        else:
            assert status is EstimateStatus.CANNOT_SAY
            assert selector.choice.why == why


def always(name):
    """A tree that asks nothing."""
    return DecisionTree.fit(np.zeros((3, 4)), [name] * 3)


# By a tree.


def flights(random, count):
    """Noisy measurements from taut to slack, short to long, and where the drone was."""
    measurements, positions = [], []
    for sample in normals(count, 17, seed=int(random.integers(1000))):
        level = 6.0 * random.uniform(0.1, 1.0)
        end = np.array([level, 0.0, random.uniform(0.5, 4.0)])
        slack = 10.0 ** random.uniform(-7.0, -0.7)
        measurement = scene(end, np.linalg.norm(end) * (1.0 + slack))
        measurements.append(disturbed(measurement, SENSING.noise, sample[:13]))
        positions.append(end)
    return measurements, np.array(positions)


def errors(selector, measurements, positions):
    """Of each answer [m], NaN where there is none."""
    answers = np.array([selector.update(measurement).position for measurement in measurements])
    return np.linalg.norm(answers - positions, axis=1)


def test_a_trained_selector_is_better_than_either_model_on_flights_it_has_not_seen(random):
    """Where it and the model both answer; the line alone leaves many unanswered."""
    selector = ModelSelector(SENSING)
    tree = selector.train(*flights(random, 512), leaf_min=15)
    assert {"taut", "catenary"} <= set(tree.classes)
    unseen = flights(random, 512)
    trained, by_rule = errors(selector, *unseen), errors(ModelSelector(SENSING), *unseen)
    assert np.isfinite(trained).mean() > 0.9
    for name, ratio in (("taut", 0.9), ("catenary", 1.01)):  # measured: 0.78 and 1.00, by rule 0.70 and 0.97
        alone = errors(ModelSelector(SENSING, tree=always(name)), *unseen)
        for chosen in (trained, by_rule):
            both = np.isfinite(chosen) & np.isfinite(alone)
            assert np.mean(chosen[both] ** 2) < ratio**2 * np.mean(alone[both] ** 2)


def test_training_labels_the_nearest_model_and_none_beyond_the_limit():
    """Of drones that are near, the truth is said to be elsewhere."""
    measurements = [
        scene((1.0 + 0.1 * i, 0.0, 3.0), math.hypot(1.0 + 0.1 * i, 3.0) * 1.02) for i in range(40)
    ]
    truth = np.array([(1.0 + 0.1 * i, 0.0, 3.0) for i in range(40)])
    wrong = truth + np.where(np.arange(40)[:, None] < 20, 1.0, 0.0)  # where the drone is said to have been
    selector = ModelSelector(SENSING)
    tree = selector.train(measurements, wrong, leaf_min=2)
    assert selector.tree is tree
    for i, measurement in enumerate(measurements):
        estimate = selector.update(measurement)
        if i < 20:
            assert estimate.status is EstimateStatus.CANNOT_SAY
            assert selector.choice.why == "no model was within 0.45 m in flights like this"
        else:
            assert selector.choice.model == "catenary"
            assert np.allclose(estimate.position, truth[i], atol=1e-9)


def test_a_model_that_doubts_itself_is_neither_learned_nor_believed():
    """However near it was: with other data it would be as unsure."""
    measurements = [SAGGING] * 30
    truth = np.tile((2.3, 1.0, 3.0), (30, 1))
    for status, expected in ((EstimateStatus.OK, "learned"), (EstimateStatus.FAULT, "catenary")):
        selector = ModelSelector(SENSING, learned=Oracle(truth[0], 0.1, status))
        assert list(selector.train(measurements, truth).classes) == [expected]
    selector = ModelSelector(SENSING, tree=always("taut"))
    assert selector.update(SAGGING).status is EstimateStatus.CANNOT_SAY
    assert selector.choice.why == EstimateStatus.SLACK.value


def test_a_tree_that_asks_for_the_tension_needs_it():
    features = np.zeros((20, 4))
    features[:, 3] = np.arange(20)
    tree = DecisionTree.fit(features, ["catenary"] * 10 + [NONE] * 10)
    selector = ModelSelector(SENSING, tree=tree)
    assert selector.update(SAGGING).status is EstimateStatus.OK
    assert selector.update(replace(SAGGING, tension=math.nan)).status is EstimateStatus.MISSING


def test_a_tree_chooses_only_what_is_there():
    with pytest.raises(
        InputError, match=r"the tree chooses 'learned', which is not here; give it as learned"
    ):
        ModelSelector(SENSING, tree=always("learned"))
    selector = ModelSelector(SENSING, tree=always("learned"), learned=Oracle((1, 2, 3), 0.1))
    assert np.array_equal(selector.update(SAGGING).position, (1, 2, 3))


def test_training_needs_a_position_for_each_measurement():
    with pytest.raises(InputError, match="every measurement needs a position, got 2 and 1"):
        ModelSelector(SENSING).train([SAGGING, SAGGING], np.zeros((1, 3)))


# The tree.


def test_a_tree_finds_the_questions_of_a_known_rule(random):
    """Boxes in two features, with a third that says nothing."""
    features = random.uniform(-1, 1, (400, 3))
    names = np.where(features[:, 0] <= 0.2, "a", np.where(features[:, 1] <= -0.3, "b", "c"))
    tree = DecisionTree.fit(features, names, depth_max=2, leaf_min=1)
    assert [tree.predict(row) for row in features] == list(names)
    assert list(tree.used) == [0, 1]
    assert np.count_nonzero(tree.feature == LEAF) == 3
    thresholds = dict(zip(tree.feature, tree.threshold, strict=True))
    assert thresholds[0] == pytest.approx(0.2, abs=0.02)
    assert thresholds[1] == pytest.approx(-0.3, abs=0.02)


def test_every_split_is_the_best_of_all(random):
    """Against trying every threshold of every feature."""
    features, labels = random.normal(size=(60, 3)), random.integers(0, 3, 60)

    def impurity(rows):
        share = np.bincount(labels[rows], minlength=3) / max(rows.sum(), 1)
        return rows.sum() * (1.0 - share @ share)

    tree = DecisionTree.fit(features, [str(k) for k in labels], depth_max=1, leaf_min=5)
    best = math.inf
    for column in range(3):
        for threshold in features[:, column]:
            yes = features[:, column] <= threshold
            if min(yes.sum(), (~yes).sum()) >= 5:
                best = min(best, impurity(yes) + impurity(~yes))
    yes = features[:, tree.feature[0]] <= tree.threshold[0]
    assert impurity(yes) + impurity(~yes) == pytest.approx(best, rel=1e-12)


def test_questions_that_help_only_together_are_asked():
    """Neither feature alone tells anything of an exclusive or."""
    features = np.array([(x, y) for x in (0.0, 1.0) for y in (0.0, 1.0)] * 5)
    names = ["odd" if x != y else "even" for x, y in features]
    tree = DecisionTree.fit(features, names, leaf_min=1)
    assert [tree.predict(row) for row in features] == names


def test_a_tree_stays_as_shallow_and_its_leaves_as_full_as_told(random):
    features, names = random.normal(size=(200, 2)), list(random.choice(["a", "b"], 200))
    tree = DecisionTree.fit(features, names, depth_max=3, leaf_min=20)
    sizes = {}

    def walk(node, rows, depth):
        if tree.feature[node] == LEAF:
            sizes[node] = (rows.sum(), depth)
            return
        yes = features[:, tree.feature[node]] <= tree.threshold[node]
        walk(tree.left[node], rows & yes, depth + 1)
        walk(tree.right[node], rows & ~yes, depth + 1)

    walk(0, np.ones(200, bool), 0)
    assert max(depth for _, depth in sizes.values()) <= 3
    assert min(size for size, _ in sizes.values()) >= 20
    assert sum(size for size, _ in sizes.values()) == 200


def test_a_feature_that_is_missing_anywhere_is_not_asked_for():
    features = np.column_stack([np.arange(20.0), np.arange(20.0) % 7])
    names = ["a"] * 10 + ["b"] * 10
    assert list(DecisionTree.fit(features, names, leaf_min=1).used) == [0]
    features[3, 0] = math.nan
    assert list(DecisionTree.fit(features, names, leaf_min=1).used) == [1]


def test_a_question_whose_answer_does_not_matter_is_not_asked():
    """Both halves are mostly of one class, and too few to be split again."""
    names = ["a", "a", "a", "b", "a", "a", "a", "a"]
    tree = DecisionTree.fit(np.arange(8.0)[:, None], names, leaf_min=4)
    assert len(tree.feature) == 1
    assert tree.predict(np.array([3.0])) == "a"


def test_neighbouring_numbers_are_told_apart():
    low = np.nextafter(1.0, 2.0)
    high = np.nextafter(low, 2.0)
    assert 0.5 * (low + high) == high  # the middle is no threshold
    tree = DecisionTree.fit(np.array([[low], [high]]), ["a", "b"], leaf_min=1)
    assert [tree.predict(np.array([value])) for value in (low, high)] == ["a", "b"]


def test_a_saved_tree_is_the_same_tree(random, tmp_path):
    features, names = random.normal(size=(100, 4)), list(random.choice(["taut", "catenary", NONE], 100))
    tree = DecisionTree.fit(features, names)
    tree.save(tmp_path / "tree.npz")
    again = DecisionTree.load(tmp_path / "tree.npz")
    assert [again.predict(row) for row in features] == [tree.predict(row) for row in features]
    assert list(again.classes) == list(tree.classes)


def test_a_file_that_is_no_tree_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        DecisionTree.load(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(InputError, match="not a decision tree"):
        DecisionTree.load(tmp_path / "text.npz")
    tree = DecisionTree.fit(np.arange(40.0)[:, None], ["a"] * 20 + ["b"] * 20)
    replace(tree, left=np.zeros_like(tree.left)).save(tmp_path / "loop.npz")
    with pytest.raises(InputError, match="its nodes do not lead to one another"):
        DecisionTree.load(tmp_path / "loop.npz")
    replace(tree, classes=np.array(["a", object()], object)).save(tmp_path / "pickle.npz")
    with pytest.raises(InputError, match="not a decision tree"):
        DecisionTree.load(tmp_path / "pickle.npz")
    with pytest.raises(InputError, match="every row needs a class, got 2 rows and 1 classes"):
        DecisionTree.fit(np.zeros((2, 1)), ["a"])
