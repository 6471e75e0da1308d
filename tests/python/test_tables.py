"""Tables: names of features and classes, and predictions for files."""

import numpy as np
import pytest

import firn

CONFIG = {"encode": {"scope": "feature"}, "model": {"family": "dense", "width": 60, "layers": 2},
          "train": {"steps": 60, "eval_every": 60, "batch": 16}}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    rows = [(i * 7 % 60, "red" if i % 3 == 0 else "blue", "ripe" if i % 3 == 0 else "green") for i in range(60)]
    (folder / "train.csv").write_text("size,colour,kind\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    (folder / "new.csv").write_text("colour;size\n" + "".join(f"{b};{a}\n" for a, b, _ in rows))
    return folder


@pytest.fixture(scope="module")
def circuit(table):
    data = firn.load_data("csv", root=table, set={"data.file": "train.csv"})
    assert data.feature_names == ["size", "colour=blue", "colour=red"]
    return firn.train(CONFIG, data).network().compile()


def test_files_are_predicted_by_name(circuit, table):
    X, y = circuit.read_samples(table / "train.csv")
    assert X.dtype == np.float32 and X.shape == (60, 3) and set(y) == {0, 1}
    found = circuit.predict_file(table / "new.csv")
    assert found.labels is None and len(found) == 60 and found.ids == []
    assert (found.classes == circuit.predict(X)).all()
    assert (found.class_sums == circuit.class_sums(X)).all()
    assert np.allclose(found.probabilities.sum(axis=1), 1)
    assert found.names == [circuit.class_names[c] for c in found.classes]
    assert (circuit.predict_file(table / "train.csv").labels == y).all()


def test_tables_without_a_header_are_read_if_told_so(circuit, table, tmp_path):
    lines = (table / "train.csv").read_text().splitlines(keepends=True)
    (tmp_path / "bare.csv").write_text("".join(lines[1:]))
    with pytest.raises(firn.Error, match="line 1: the first row"):
        circuit.predict_file(tmp_path / "bare.csv")
    X, y = circuit.read_samples(tmp_path / "bare.csv", header=False)
    assert (X == circuit.read_samples(table / "train.csv")[0]).all() and len(y) == 60
    assert (circuit.predict_file(tmp_path / "bare.csv", header=False).classes == circuit.predict(X)).all()


def test_what_does_not_fit_is_refused(circuit, table, tmp_path):
    (tmp_path / "bad.csv").write_text("colour,size\nred,12abc\n")
    with pytest.raises(firn.Error, match="line 2: column 'size' holds '12abc'"):
        circuit.predict_file(tmp_path / "bad.csv")


def test_arrays_with_names_predict_tables(tmp_path):
    X = np.random.default_rng(1).normal(size=(80, 2)).astype(np.float32)
    y = (X[:, 0] > 0).astype(np.int64)
    data = firn.Dataset(X, y).with_feature_names(["left", "right"]).with_class_names(["no", "yes"])
    circuit = firn.train(CONFIG, data).network().compile()
    assert firn.Circuit.from_bytes(circuit.to_bytes()).feature_names == ["left", "right"]
    lines = "".join(f"{right},{left}\n" for left, right in X)
    (tmp_path / "new.csv").write_text("right,left\n" + lines)
    assert (circuit.predict_file(tmp_path / "new.csv").classes == circuit.predict(X)).all()


class Frame:
    """As much of a data frame as scikit-learn asks for."""

    def __init__(self, values, columns):
        self.values, self.columns, self.shape = values, columns, values.shape

    def __array__(self, dtype=None):
        return np.asarray(self.values, dtype)

    def __len__(self):
        return len(self.values)


def test_classifiers_keep_the_names_of_data_frames(tmp_path):
    from firn.sklearn import LogicGateClassifier
    X = np.random.default_rng(1).normal(size=(80, 2))
    frame = Frame(X, ["left", "right"])
    model = LogicGateClassifier(width=60, depth=2, steps=60, random_state=0).fit(frame, np.where(X[:, 0] > 0, "yes", "no"))
    assert model.circuit_.feature_names == ["left", "right"] and model.circuit_.class_names == ["no", "yes"]
    (tmp_path / "new.csv").write_text("right,left\n" + "".join(f"{right},{left}\n" for left, right in X))
    assert model.circuit_.predict_file(tmp_path / "new.csv").names == list(model.predict(frame))


def test_a_configuration_is_suggested_for_a_file(tmp_path):
    file = tmp_path / "own.csv"
    rows = [f"{i % 2},{i},{1000 * (i * 7 % 40)}" for i in range(40)]
    file.write_text("kind,size,weight\n" + "\n".join(rows) + "\n")
    config = firn.Config.suggest(str(file), label="kind")
    assert config.get("model.family") == '"dense"' and config.get("encode.scope") == '"feature"'
    assert config.get("data.split") == '"stratified"' and config.get("data.label_column") == '"kind"'
    with pytest.raises(firn.ConfigError, match="sort"):
        firn.Config.suggest(str(file), label="sort")


def test_what_a_configuration_leaves_open_is_chosen_by_the_data():
    X = np.random.default_rng(0).normal(size=(200, 4)).astype(np.float32)
    X[:, 1] *= 1000
    y = (X[:, 1] > 0).astype(int)
    assert firn.Config.from_toml("train.steps = 9").get("model.width") == '"auto"'
    run = firn.train({"train.steps": 400}, X, y, threads=1)
    assert (run.network().compile().predict(X) == y).mean() > 0.9
