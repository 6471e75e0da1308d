"""LogicGateClassifier among scikit-learn's own tools."""

import os
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, make_blobs, make_friedman1
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import firn
from firn.sklearn import LogicGateClassifier, LogicGateRegressor

QUICK = dict(width=300, depth=2, steps=300, learning_rate=0.05, random_state=0)
# Processes of joblib find the package here.
os.environ["PYTHONPATH"] = os.pathsep.join([os.environ["FIRN_PACKAGE"], os.environ.get("PYTHONPATH", "")])


@parametrize_with_checks([LogicGateClassifier(), LogicGateRegressor()])
def test_scikit_learn_agrees(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def cancer():
    return train_test_split(*load_breast_cancer(return_X_y=True), random_state=0)


def test_it_learns_predicts_and_tells_probabilities(cancer):
    X, X_test, y, y_test = cancer
    model = LogicGateClassifier(**QUICK).fit(X, y)
    assert model.score(X_test, y_test) > 0.9
    assert model.n_features_in_ == 30 and list(model.classes_) == [0, 1]
    probabilities = model.predict_proba(X_test)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(X_test)).all()
    assert ((model.decision_function(X_test) > 0) == model.predict(X_test)).all()
    assert isinstance(model.circuit_, firn.Circuit) and model.circuit_.gates > 0


@pytest.mark.parametrize("labels", [["no", "yes"], [-5, 7], [False, True], [3, 10**12]])
def test_labels_of_any_type_come_back(cancer, labels):
    X, X_test, y, _ = cancer
    named = np.array(labels)[y]
    model = LogicGateClassifier(**QUICK).fit(X, named)
    assert model.predict(X_test).dtype == named.dtype
    assert set(model.predict(X_test)) == set(named) == set(model.classes_)


def test_equal_seeds_and_any_number_of_jobs_give_the_same(cancer):
    X, X_test, y, _ = cancer
    models = [LogicGateClassifier(**QUICK, n_jobs=jobs).fit(X, y) for jobs in (None, 2, -1)]
    assert len({model.circuit_.to_bytes() for model in models}) == 1
    assert LogicGateClassifier(**QUICK | {"random_state": 1}).fit(X, y).circuit_.to_bytes() != models[0].circuit_.to_bytes()


def test_it_pickles_and_clones(cancer):
    X, X_test, y, _ = cancer
    model = LogicGateClassifier(**QUICK).fit(X, y)
    assert (pickle.loads(pickle.dumps(model)).predict(X_test) == model.predict(X_test)).all()
    assert clone(model).get_params() == model.get_params() and not hasattr(clone(model), "circuit_")


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_it_works_in_pipelines_searches_and_cross_validation(cancer, backend):
    import joblib
    X, _, y, _ = cancer
    pipeline = make_pipeline(StandardScaler(), LogicGateClassifier(**QUICK))
    with joblib.parallel_backend(backend, n_jobs=2):
        assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9
        search = GridSearchCV(pipeline, {"logicgateclassifier__width": [200, 300],
                                         "logicgateclassifier__thresholds": [3, 7]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.85 and search.best_estimator_[-1].circuit_.gates > 0


def test_column_names_are_remembered(cancer):
    pandas = pytest.importorskip("pandas")
    X, _, y, _ = cancer
    frame = pandas.DataFrame(X[:, :3], columns=["a", "b", "c"])
    model = LogicGateClassifier(**QUICK).fit(frame, y)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a", "c"]])


def test_images_are_convolved():
    X, y = load_digits(return_X_y=True)
    model = LogicGateClassifier(image_shape=(8, 8), **QUICK | {"width": 1000, "steps": 600}).fit(X[:1200], y[:1200])
    assert [layer["kind"] for layer in model.circuit_.layers][0] == "tree-conv"
    assert model.score(X[1200:], y[1200:]) > 0.6


@pytest.mark.parametrize("settings, sentence", [
    ({"strategy": "never"}, "never"), ({"width": 10}, "width|wide"), ({"depth": 0}, "depth"), ({"steps": 0}, "steps"),
    ({"encoding": "best"}, "encoding"), ({"image_shape": (3, 3)}, "image_shape"), ({"config": {"a.b": 1}}, "a.b"),
])
def test_wrong_parameters_are_named(cancer, settings, sentence):
    X, _, y, _ = cancer
    with pytest.raises((ValueError, firn.Error), match=sentence):
        LogicGateClassifier(**QUICK | settings).fit(X, y)


def test_strategies_freeze():
    X, y = make_blobs(200, centers=3, random_state=0)
    model = LogicGateClassifier(strategy="task", config={"freeze.task.interval": 5, "freeze.task.half_life": 5.0,
                                                         "freeze.task.patience": 1}, **QUICK).fit(X, y)
    assert len(model.run_.freezes["step"]) > 0


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_a_regressor_predicts_values_and_carries_them_in_its_circuit(loss):
    X, y = make_friedman1(n_samples=600, random_state=0)
    model = LogicGateRegressor(loss=loss, width=600, steps=500, random_state=0).fit(X[:400], y[:400])
    assert model.score(X[400:], y[400:]) > 0.7
    circuit = firn.Circuit.from_bytes(model.circuit_.to_bytes())
    rows = X[400:].astype(np.float32)
    assert circuit.classes == 0 and (circuit.predict(rows) == model.predict(X[400:])).all()
    counts = circuit.class_sums(rows)[:, 0]
    assert np.allclose(circuit.predict(rows), circuit.offset + counts / circuit.tau, atol=1e-4)
    seen = model.run_.network().evaluate(rows, y[400:].astype(np.float32)).discrete_values
    assert seen.r2 == pytest.approx(model.score(X[400:], y[400:]), abs=1e-5)
    assert seen.mae == pytest.approx(np.abs(model.predict(X[400:]) - y[400:]).mean(), rel=1e-5)
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()


def test_a_single_logit_has_probabilities(cancer):
    X, X_test, y, y_test = cancer
    model = LogicGateClassifier(**QUICK, config={"train.loss": "bce"}).fit(X, y)
    assert model.score(X_test, y_test) > 0.9
    probabilities = model.predict_proba(X_test)
    assert np.allclose(probabilities.sum(axis=1), 1) and ((probabilities[:, 1] > 0.5) == model.predict(X_test)).all()
