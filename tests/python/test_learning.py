"""Measures, class weights and early stopping, judged by scikit-learn."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score, precision_recall_fscore_support, roc_auc_score

import firn
from firn.sklearn import LogicGateClassifier

CONFIG = {"encode": {"encoding": "distributive", "thresholds": 3, "scope": "feature"},
          "model": {"family": "dense", "width": 60, "layers": 2}, "train": {"steps": 60, "batch": 32, "eval_every": 60}}


def random_table(classes, count, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, 6)).astype(np.float32), rng.integers(classes, size=count)


@pytest.mark.parametrize("loss, classes", [("cross-entropy", 2), ("bce", 2), ("squared", 2), ("cross-entropy", 3),
                                           ("cross-entropy", 5)])
@pytest.mark.parametrize("seed", range(4))
def test_measures_are_those_of_scikit_learn(loss, classes, seed):
    X, y = random_table(classes, 200, seed)  # labels are noise, and few outputs tie often
    network = firn.train(CONFIG, X, y, set={"train.loss": loss, "seed": seed + 1}).network()
    seen, predicted = network.evaluate(X, y), network.predict(X)
    quality = seen.discrete_quality
    assert quality.balanced_accuracy == pytest.approx(balanced_accuracy_score(y, predicted), abs=1e-12)
    precision, recall, f1, _ = precision_recall_fscore_support(y, predicted, labels=range(classes), zero_division=0)
    for ours, theirs in zip((quality.precision, quality.recall, quality.f1), (precision, recall, f1)):
        assert np.allclose(ours, theirs, atol=1e-12)
    sums = network.compile().class_sums(X).astype(np.int64)
    assert len(np.unique(sums[:, 0])) < 61  # counts, so that there are ties
    if sums.shape[1] <= 2:
        expected = roc_auc_score(y, sums[:, 0] if sums.shape[1] == 1 else sums[:, 1] - sums[:, 0])
    else:
        tau = 20 * np.sqrt(60 / classes / 1024)  # the default, for 60 outputs
        powers = np.exp(sums / tau)
        probabilities = np.round(powers / powers.sum(axis=1, keepdims=True), 9)  # equal ones stay equal
        expected = roc_auc_score(y, probabilities, multi_class="ovr")
    assert quality.auc == pytest.approx(expected, abs=1e-12)
    assert 0 <= seen.relaxed_quality.auc <= 1 and "balanced accuracy" in repr(quality)


def test_a_class_that_is_missing_is_left_out():
    X, y = random_table(3, 100, 1)
    network = firn.train(CONFIG, X, y).network()
    seen = network.evaluate(X[y != 2], y[y != 2])
    assert seen.discrete_quality.recall[2] == 0 and seen.discrete_quality.auc is not None
    assert network.evaluate(X[y == 0], y[y == 0]).discrete_quality.auc is None


@pytest.fixture(scope="module")
def rare():
    X, y = make_classification(n_samples=1500, n_features=8, n_informative=5, weights=[0.95], flip_y=0.02,
                               class_sep=0.8, random_state=1)
    return X.astype(np.float32), y


def test_class_weights_raise_the_recall_of_the_rare_class(rare):
    X, y = rare
    quick = dict(width=300, depth=2, steps=300, learning_rate=0.03, random_state=0, strategy="final-argmax")
    recalls = {}
    for weight in (None, "balanced", {0: 1, 1: 20}, {0: 1, 1: 1}):
        model = LogicGateClassifier(**quick, class_weight=weight).fit(X[::2], y[::2])
        recalls[str(weight)] = model.predict(X[1::2])[y[1::2] == 1].mean()
        if weight == {0: 1, 1: 1}:
            plain = LogicGateClassifier(**quick).fit(X[::2], y[::2])
            assert (model.predict(X) == plain.predict(X)).all()
    assert recalls["balanced"] > recalls["None"] + 0.1 and recalls["{0: 1, 1: 20}"] > recalls["None"] + 0.1


def test_balanced_weights_of_the_engine_are_those_of_scikit_learn(rare):
    X, y = rare
    settings = CONFIG | {"train": CONFIG["train"] | {"class_weights": "balanced"}}
    run = firn.train(settings, X, y, validation=(X[:10], y[:10]))
    weights = [len(y) / (2 * (y == c).sum()) for c in (0, 1)]
    listed = firn.train(settings, X, y, validation=(X[:10], y[:10]), set={"train.class_weights": weights})
    assert run.metrics["train_loss"][-1] == pytest.approx(listed.metrics["train_loss"][-1], rel=1e-6)
    with pytest.raises(firn.Error, match="3 weights, but .* 2 classes"):
        firn.train(settings, X, y, set={"train.class_weights": [1, 2, 3]})


def test_patience_stops_training_and_returns_the_best_step(tmp_path):
    X, y = random_table(2, 400, 3)  # nothing to learn
    settings = CONFIG | {"train": {"steps": 2000, "batch": 32, "eval_every": 10, "patience": 5}}
    run = firn.train(settings, X, y)
    losses, steps = run.metrics["discrete_loss"], run.metrics["step"]
    assert steps[-1] < 2000 and run.completed
    best = steps[len(losses) - 1 - losses[::-1].argmin()]  # the later one of equals
    assert run.network().step == best and run.network("best").step == best
    with pytest.raises(firn.Error, match="folder"):
        run.network("last")
    kept = firn.train(settings, X, y, out=tmp_path / "run")
    loaded = firn.Run.load(tmp_path / "run")
    assert kept.network().step == loaded.network().step == loaded.network("best").step == best
    assert loaded.network("last").step == steps[-1] and loaded.completed
    assert (kept.network().predict(X) == run.network().predict(X)).all()
