"""What arrays may look like, and that everything else is refused with the way out."""

import gc

import numpy as np
import pytest

import firn
from conftest import CONFIG


def wrong_samples(X):
    padded = np.zeros((len(X), 6, 9), np.uint8)
    misaligned = np.frombuffer(b"\0" + bytes(4 * 48 * 2), np.uint8)[1:].view(np.float32).reshape(2, 48)
    return {
        "float64": (X.astype(np.float64), "astype(np.float32)"),
        "int64": (X.astype(np.int64), "astype(np.float32)"),
        "bool": (X > 100, "* 255"),
        "big-endian": (X.astype(">f4"), "astype(np.float32)"),
        "float16": (X.astype(np.float16), "astype(np.float32)"),
        "objects": (X.astype(object), "astype(np.float32)"),
        "strings": (X.astype(str), "astype(np.float32)"),
        "complex": (X.astype(complex), "astype(np.float32)"),
        "Fortran order": (np.asfortranarray(X), "np.ascontiguousarray(X)"),
        "a part of each row": (padded[:, :, :8], "np.ascontiguousarray(X)"),
        "every other": (X[::2], "np.ascontiguousarray(X)"),
        "reversed": (X[::-1], "np.ascontiguousarray(X)"),
        "misaligned": (misaligned, "np.ascontiguousarray(X)"),
        "list": (X.tolist(), "np.asarray(X, dtype=np.float32)"),
        "None": (None, "np.asarray"),
        "bytes": (b"1234", "np.asarray"),
    }


@pytest.mark.parametrize("kind", sorted(wrong_samples(np.zeros((4, 6, 8), np.uint8))))
def test_samples_that_would_have_to_be_converted_are_refused(kind, circuit, network):
    wrong, way_out = wrong_samples(np.zeros((4, 6, 8), np.uint8))[kind]
    y = np.zeros(2 if kind == "misaligned" else 4, int)
    for call in (lambda: circuit.predict(wrong), lambda: circuit.class_sums(wrong), lambda: network.predict(wrong),
                 lambda: network.evaluate(wrong, y), lambda: firn.Dataset(wrong, y)):
        with pytest.raises(TypeError) as refused:
            call()
        assert way_out in str(refused.value)


@pytest.mark.parametrize("shape", [(), (48,), (4, 47), (4, 8, 6), (4, 3, 6, 8), (4, 1, 6, 8, 1)])
def test_samples_of_another_shape_are_refused(shape, circuit):
    with pytest.raises(firn.ShapeError) as refused:
        circuit.predict(np.zeros(shape, np.uint8))
    assert isinstance(refused.value, firn.Error) and isinstance(refused.value, ValueError)


def test_rows_images_and_channels_are_the_same_samples(circuit, test_images):
    X, _ = test_images
    expected = circuit.predict(X)
    assert (circuit.predict(X.reshape(200, 48)) == expected).all()
    assert (circuit.predict(X.reshape(200, 1, 6, 8)) == expected).all()


def test_the_other_kind_of_values_is_refused(circuit):
    with pytest.raises(firn.Error, match="floats.*bytes"):
        circuit.predict(np.zeros((2, 48), np.float32))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused(value):
    X = np.random.RandomState(1).rand(50, 4).astype(np.float32)
    y = (X[:, 0] > 0.5).astype(int)
    trained = firn.train({"model.family": "dense", "model.width": 20, "model.layers": 1, "train.steps": 5,
                          "train.batch": 16}, X, y)
    X[7, 2] = value
    for call in (lambda: firn.train("model.family = 'dense'", X, y), lambda: trained.network().predict(X),
                 lambda: trained.network().compile().predict(X), lambda: trained.network().evaluate(X, y)):
        with pytest.raises(firn.Error, match="feature 2 of example 7"):
            call()


def test_no_samples_have_no_classes(circuit, network):
    for empty in (np.zeros((0, 6, 8), np.uint8), np.zeros((0, 48), np.uint8)):
        assert circuit.predict(empty).shape == (0,)
        assert circuit.class_sums(empty).shape == (0, 2)
        assert network.predict(empty).shape == (0,)
    with pytest.raises(firn.Error):
        firn.Dataset(np.zeros((0, 4), np.float32), np.zeros(0, int))
    with pytest.raises(firn.Error):
        network.evaluate(np.zeros((0, 6, 8), np.uint8), np.zeros(0, int))
    with pytest.raises(firn.Error):
        firn.Dataset(np.zeros((4, 0), np.float32), np.zeros(4, int))


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int32", "int64"])
def test_labels_may_be_whole_numbers(dtype, network, test_images):
    X, y = test_images
    assert network.evaluate(X, y.astype(dtype)).samples == 200


@pytest.mark.parametrize("labels, way_out", [
    (lambda y: y.astype(float), "astype(np.int64)"),
    (lambda y: y.astype(bool), "astype(np.int64)"),
    (lambda y: y.astype(">i4"), "astype(np.int64)"),
    (lambda y: y.astype(np.int16), "astype(np.int64)"),
    (lambda y: y.astype(np.uint64), "astype(np.int64)"),
    (lambda y: np.where(y, "cat", "dog"), "np.unique(y, return_inverse=True)"),
    (lambda y: y.astype(object), "np.unique(y, return_inverse=True)"),
    (lambda y: y.tolist(), "np.asarray(y)"),
    (lambda y: np.repeat(y, 2)[::2], "np.ascontiguousarray(y)"),
])
def test_other_labels_are_refused(labels, way_out, network, test_images):
    X, y = test_images
    with pytest.raises(TypeError) as refused:
        network.evaluate(X, labels(y))
    assert way_out in str(refused.value)


def test_labels_must_fit_the_samples(network, test_images):
    X, y = test_images
    with pytest.raises(firn.ShapeError):
        network.evaluate(X, y[:-1])
    with pytest.raises(firn.ShapeError):
        network.evaluate(X, y.reshape(-1, 1))
    with pytest.raises(firn.Error, match="label"):
        network.evaluate(X, y + 7)
    with pytest.raises(firn.Error, match="label"):
        network.evaluate(X, y - 1)
    with pytest.raises(firn.Error, match="one class"):
        firn.Dataset(X, np.zeros_like(y))


def test_nothing_is_copied_and_arrays_live_as_long_as_their_data_set():
    X = np.zeros((2000, 2000), np.uint8)
    y = np.arange(2000) % 2
    import resource
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    data = firn.Dataset(X, y)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 2000  # kilobytes, where a copy would be 3906
    del X
    gc.collect()
    X_again, _ = data.train_arrays()
    assert X_again.shape == (2000, 2000) and not X_again.any()


def test_results_own_their_memory(images):
    X, y = images
    circuit = firn.train(CONFIG, X, y, set={"train.steps": 5}).network().compile()
    classes, sums, gates = circuit.predict(X), circuit.class_sums(X), circuit.netlist
    expected = classes.copy(), sums.copy(), gates.copy()
    del circuit
    gc.collect()
    np.random.rand(100000)
    assert (classes == expected[0]).all() and (sums == expected[1]).all() and (gates == expected[2]).all()
    classes[0] = 9  # and may be written to
