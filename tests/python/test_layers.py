"""Networks from elsewhere: arrays, and stand-ins with the attributes of difflogic and torchlogix."""

import numpy as np
import pytest

import firn
from foreign import (DifflogicLayer, GroupSum, TorchlogixBinarization, TorchlogixConv, TorchlogixDense, OrPooling,
                     Sequential)

import recipes


def gate(g, a, b):
    return (np.asarray(g) >> (3 - (2 * a.astype(int) + b.astype(int)))) % 2 == 1


def random_dense(random, inputs, outputs):
    return {"kind": "dense", "wires": random.randint(0, inputs, (outputs, 2)), "gates": random.randint(0, 16, outputs)}


def run_dense(layer, bits):
    return gate(layer["gates"], bits[:, layer["wires"][:, 0]], bits[:, layer["wires"][:, 1]])


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("columns", [1, 12])
def test_dense_layers_compute_what_numpy_does(dtype, columns):
    random = np.random.RandomState(1)
    thresholds = np.sort(random.randint(0, 255, (3, columns)), axis=0)
    layers = [random_dense(random, 36, 50), random_dense(random, 50, 60)]
    X = random.randint(0, 256, (500, 12)).astype(dtype)
    bits = np.concatenate([X > t for t in thresholds], axis=1)
    for layer in layers:
        bits = run_dense(layer, bits)
    sums = bits.reshape(500, 6, 10).sum(axis=2)
    settings = dict(shape=(12,), thresholds=thresholds, classes=6, dtype=dtype, tau=2.5)
    circuit = firn.Circuit.from_layers(layers, **settings)
    assert (circuit.class_sums(X) == sums).all() and (circuit.predict(X) == sums.argmax(axis=1)).all()
    assert circuit.tau == 2.5
    network = firn.Network.from_layers(layers, **settings)
    assert (network.predict(X) == sums.argmax(axis=1)).all() and network.compile().verify(circuit)
    assert firn.Network.from_bytes(network.to_bytes()).compile().verify(circuit)


def test_logits_make_a_relaxed_network():
    random = np.random.RandomState(2)
    layers = [random_dense(random, 8, 20)]
    logits = random.rand(20, 16).astype(np.float32)
    logits[np.arange(20), layers[0]["gates"]] += 2
    settings = dict(shape=(8,), thresholds=np.array([100]), classes=2)
    network = firn.Network.from_layers([{"kind": "dense", "wires": layers[0]["wires"], "logits": logits}], **settings)
    assert network.frozen == 0 and (network.logits["fc1"] == logits).all()
    assert network.compile().verify(firn.Circuit.from_layers(layers, **settings))
    X, y = random.randint(0, 256, (64, 8)).astype(np.uint8), random.randint(0, 2, 64)
    assert network.scores(X, y)["fc1"].shape == (20, 16)


def run_conv(layer, images):
    """Trees placed all over the images, the slow and obvious way."""
    window, padding, stride = layer["window"], layer["padding"], layer["stride"]
    padded = np.pad(images, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    rows = (padded.shape[2] - window) // stride + 1
    columns = (padded.shape[3] - window) // stride + 1
    out = np.zeros((len(images), len(layer["gates"]), rows, columns), bool)
    for f, gates in enumerate(layer["gates"]):
        for y in range(rows):
            for x in range(columns):
                nodes = [padded[:, c, stride * y + p // window, stride * x + p % window]
                         for c, p in zip(layer["channels"][f], layer["places"][f])]
                for g, number in enumerate(gates):
                    nodes.append(gate(number, nodes[2 * g], nodes[2 * g + 1]))
                out[:, f, y, x] = nodes[-1]
    return out


def run_pool(images):
    n, c, h, w = images.shape
    return images.reshape(n, c, h // 2, 2, w // 2, 2).any(axis=(3, 5))


@pytest.mark.parametrize("padding, stride, pool", [(0, 1, 1), (1, 1, 2), (1, 2, 1), (0, 1, 0)])
def test_trees_and_pools_compute_what_numpy_does(padding, stride, pool):
    random = np.random.RandomState(3)
    conv = {"kind": "tree-conv", "channels": random.randint(0, 4, (5, 4)), "places": random.randint(0, 9, (5, 4)),
            "gates": random.randint(0, 16, (5, 3)), "window": 3, "padding": padding, "stride": stride}
    X = random.randint(0, 256, (64, 2, 8, 8)).astype(np.uint8)
    bits = run_conv(conv, np.concatenate([X > 80, X > 160], axis=1))
    layers = [conv]
    if pool == 2:
        layers = [conv | {"pool": 2}]
        bits = run_pool(bits)
    if pool == 0:
        layers.append({"kind": "or-pool"})
        bits = run_pool(bits)
    bits = bits.reshape(64, -1)
    layers.append(random_dense(random, bits.shape[1], 90))
    bits = run_dense(layers[-1], bits)
    settings = dict(shape=(2, 8, 8), thresholds=np.array([80, 160]), classes=3)
    circuit = firn.Circuit.from_layers(layers, **settings)
    assert (circuit.class_sums(X) == bits.reshape(64, 3, 30).sum(axis=2)).all()
    assert firn.Network.from_layers(layers, **settings).compile().verify(circuit)


def valid():
    return [{"kind": "dense", "wires": np.zeros((4, 2), int), "gates": np.zeros(4, int)}]


@pytest.mark.parametrize("change, error, sentence", [
    (lambda l, s: l[0].update(wires=np.full((4, 2), 8)), firn.Error, "a wire leads to 8"),
    (lambda l, s: l[0].update(wires=np.full((4, 2), -1)), firn.Error, "-1"),
    (lambda l, s: l[0].update(wires=np.zeros((4, 2))), TypeError, "whole numbers"),
    (lambda l, s: l[0].update(wires=[[0, 1]]), TypeError, "numpy array"),
    (lambda l, s: l[0].update(gates=np.full(4, 16)), firn.Error, "no gate 16"),
    (lambda l, s: l[0].update(gates=np.zeros(3, int)), firn.Error, "3 gates"),
    (lambda l, s: l[0].update(gate=1), firn.Error, "no key"),
    (lambda l, s: l[0].pop("gates"), firn.Error, "gates"),
    (lambda l, s: l[0].pop("kind"), firn.Error, "kind"),
    (lambda l, s: l[0].update(kind="conv"), firn.Error, "dense, tree-conv or or-pool|no key"),
    (lambda l, s: l.insert(0, {"kind": "pool"}), firn.Error, "dense, tree-conv or or-pool"),
    (lambda l, s: l.clear(), firn.Error, "at least one layer"),
    (lambda l, s: l.append(3), TypeError, "dictionary"),
    (lambda l, s: s.update(classes=3), firn.Error, "3 equal groups"),
    (lambda l, s: s.update(shape=(3, 3)), firn.Error, "columns of thresholds|thresholds"),
    (lambda l, s: s.update(shape=(1, 2, 3, 4)), firn.ShapeError, "shape"),
    (lambda l, s: s.update(thresholds=np.full((2, 3), 4)), firn.Error, "thresholds"),
    (lambda l, s: s.update(thresholds=np.array([300])), firn.Error, "300"),
    (lambda l, s: s.update(thresholds=np.array([np.nan])), firn.Error, "nan"),
    (lambda l, s: s.update(dtype="float64"), firn.Error, "float32"),
    (lambda l, s: s.update(tau=0.0), firn.Error, "tau"),
    (lambda l, s: s.update(class_names=["a"]), firn.Error, "class names"),
])
def test_mistakes_are_named(change, error, sentence):
    layers, settings = valid(), dict(shape=(8,), thresholds=np.zeros((1, 8), int), classes=2)
    change(layers, settings)
    for kind in (firn.Circuit, firn.Network):
        with pytest.raises(error, match=sentence):
            kind.from_layers(layers, **settings)


def test_recipe_for_difflogic():
    random = np.random.RandomState(4)
    model = Sequential(DifflogicLayer(random, 20, 40), DifflogicLayer(random, 40, 30), GroupSum(3, tau=4.0))
    X = (random.rand(300, 20) < 0.5).astype(np.uint8)
    circuit = recipes.from_difflogic(model, inputs=20)
    assert np.allclose(circuit.class_sums(X) / circuit.tau, model(X.astype(float)))


@pytest.mark.parametrize("parametrization", ["raw", "walsh"])
def test_recipe_for_torchlogix(parametrization):
    random = np.random.RandomState(5)
    thresholds = np.sort(random.rand(3)).astype(np.float32)
    model = Sequential(TorchlogixBinarization(thresholds),
                       TorchlogixConv(random, channels=6, side=8, kernels=5, tree_depth=2, window=3, padding=1,
                                      parametrization=parametrization), OrPooling(2, 2),
                       TorchlogixDense(random, 5 * 16, 60, parametrization), GroupSum(4, tau=3.0))
    X = random.rand(50, 2, 8, 8).astype(np.float32)
    circuit = recipes.from_torchlogix(model, shape=(2, 8, 8))
    assert np.allclose(circuit.class_sums(X) / circuit.tau, model(X))
    assert circuit.takes_floats
