"""Models of difflogic and torchlogix as Firn circuits. Neither package is needed here: only attributes are read.

Both number gates by their truth tables, f(0,0) first and most significant, exactly as Firn does, so that the number of a
neuron's gate is the argmax of its sixteen weights.
"""

import numpy as np

import firn


def array(tensor):
    return tensor.detach().cpu().numpy()


def dense(indices, gates):
    """A layer whose gate i reads indices[0][i] and indices[1][i]."""
    return {"kind": "dense", "wires": np.stack([array(side) for side in indices], axis=1), "gates": gates}


# difflogic


def from_difflogic(model, inputs):
    """Sequential(LogicLayer, ..., GroupSum) on `inputs` binary features, given as the bytes 0 and 1."""
    *layers, head = [layer for layer in model if type(layer).__name__ != "Flatten"]
    written = [dense(layer.indices, array(layer.weights).argmax(axis=1)) for layer in layers]
    return firn.Circuit.from_layers(written, shape=(inputs,), thresholds=np.array([0]), classes=head.k, tau=head.tau)


# torchlogix 0.1


def gate_numbers(weight, parametrization):
    """The gate of each row of weights: raw rows have sixteen logits, walsh rows coefficients of 1, A, B and AB, where
    A is 2a - 1, and the gate is 1 where their sum is above 0."""
    if parametrization == "raw":
        return weight.argmax(axis=-1)
    numbers = 0
    for a, b in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        numbers = 2 * numbers + (weight @ np.array([1, a, b, a * b]) > 0)
    return numbers


def convolution(layer, channel_numbers):
    """LogicConv2d: its leaves at the first position, pair by pair, and its tree from the leaves to the root."""
    pairs = np.stack([array(side)[:, 0] for side in layer.indices[0]], axis=2)  # [kernel][pair][2][line, column, channel]
    lines, columns, channels = np.moveaxis(pairs.reshape(layer.num_kernels, -1, 3), 2, 0)
    gates = [gate_numbers(array(node), layer.parametrization) for level in layer.tree_weights for node in level]
    return {"kind": "tree-conv", "channels": channel_numbers[channels],
            "places": lines * layer.receptive_field_size + columns, "gates": np.stack(gates, axis=1),
            "window": layer.receptive_field_size, "padding": layer.padding, "stride": layer.stride}


def from_torchlogix(model, shape):
    """Sequential(FixedBinarization, LogicConv2d, OrPooling, ..., LogicDense, ..., GroupSum) on float32 images."""
    binarization, *layers, head = [layer for layer in model if type(layer).__name__ != "Flatten"]
    thresholds = array(binarization.get_thresholds())  # [bits], the same for every channel
    bits, channels = len(thresholds), shape[0]
    # torchlogix puts the bits of one channel beside each other, Firn the channels of one threshold.
    numbers = (np.arange(bits)[None, :] * channels + np.arange(channels)[:, None]).ravel()
    written = []
    for layer in layers:
        kind = type(layer).__name__
        if "Conv" in kind:
            written.append(convolution(layer, numbers))
            numbers = np.arange(layer.num_kernels)
        elif "OrPool" in kind:
            assert (layer.kernel_size, layer.stride, layer.padding) == (2, 2, 0), "Firn's OR-pool is 2 x 2"
            written.append({"kind": "or-pool"})
        else:
            written.append(dense(layer.indices, gate_numbers(array(layer.weight), layer.parametrization)))
    return firn.Circuit.from_layers(written, shape=shape, thresholds=thresholds, classes=head.k, tau=head.tau,
                                    dtype="float32")
