"""Stand-ins for layers of difflogic and torchlogix: the same attributes, computed by numpy in evaluation mode."""

import numpy as np


class Tensor:
    """As much of a tensor as the recipes use."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.shape = self.values.shape

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.values


def _apply(number, a, b):
    return ((number >> (3 - (2 * a + b).astype(int))) % 2).astype(float)


class Sequential(list):
    def __init__(self, *layers):
        super().__init__(layers)

    def __call__(self, x):
        for layer in self:
            x = layer(x)
        return x


class GroupSum:
    def __init__(self, k, tau=1.0):
        self.k, self.tau = k, tau

    def __call__(self, x):
        x = x.reshape(len(x), -1)
        return x.reshape(len(x), self.k, -1).sum(axis=2) / self.tau


class DifflogicLayer:
    """difflogic.LogicLayer: indices is a pair of index tensors, weights has sixteen columns."""

    def __init__(self, random, in_dim, out_dim):
        self.in_dim, self.out_dim = in_dim, out_dim
        self.indices = tuple(Tensor(random.randint(0, in_dim, out_dim)) for _ in range(2))
        self.weights = Tensor(random.rand(out_dim, 16).astype(np.float32))

    def __call__(self, x):
        a, b = (x[:, side.values] for side in self.indices)
        return _apply(self.weights.values.argmax(axis=1), a, b)


def _walsh(weight, a, b):
    """Coefficients of 1, A, B and AB with A = 2a - 1."""
    a, b = 2 * a - 1, 2 * b - 1
    return (weight[..., 0] + weight[..., 1] * a + weight[..., 2] * b + weight[..., 3] * a * b > 0).astype(float)


def _weights(random, shape, parametrization):
    return Tensor(random.rand(*shape, 16) if parametrization == "raw" else random.randn(*shape, 4))


def _gate(weight, a, b, parametrization):
    return _apply(weight.argmax(axis=-1), a, b) if parametrization == "raw" else _walsh(weight, a, b)


class TorchlogixDense:
    """torchlogix.layers.LogicDense: as difflogic's, but the attribute is called weight."""

    def __init__(self, random, in_dim, out_dim, parametrization="raw"):
        self.in_dim, self.out_dim, self.parametrization = in_dim, out_dim, parametrization
        self.indices = tuple(Tensor(random.randint(0, in_dim, out_dim)) for _ in range(2))
        self.weight = _weights(random, (out_dim,), parametrization)

    def __call__(self, x):
        x = x.reshape(len(x), -1)
        a, b = (x[:, side.values] for side in self.indices)
        return _gate(self.weight.values, a, b, self.parametrization)


class TorchlogixConv:
    """torchlogix.layers.LogicConv2d: indices[0] holds the leaves of every kernel at every position, [kernel][position]
    [pair][line, column, channel] in the padded image; tree_weights[level][node] is [kernel][16 or 4]."""

    def __init__(self, random, channels, side, kernels, tree_depth, window, padding, parametrization="raw"):
        self.in_dim, self.channels, self.num_kernels = (side, side), channels, kernels
        self.tree_depth, self.receptive_field_size = tree_depth, window
        self.padding, self.stride, self.parametrization = padding, 1, parametrization
        self.places = (side + 2 * padding - window) + 1
        starts = np.array([(y, x, 0) for y in range(self.places) for x in range(self.places)])
        sides = []
        for _ in range(2):
            leaves = np.stack([random.randint(0, window, (kernels, 2**tree_depth)),
                               random.randint(0, window, (kernels, 2**tree_depth)),
                               random.randint(0, channels, (kernels, 2**tree_depth))], axis=-1)
            sides.append(Tensor(leaves[:, None] + starts[None, :, None]))
        self.indices = [tuple(sides)]
        self.tree_weights = [[_weights(random, (kernels,), parametrization) for _ in range(2**level)]
                             for level in reversed(range(tree_depth + 1))]

    def __call__(self, x):
        p = self.padding
        x = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))
        level = None
        for weights in self.tree_weights:
            if level is None:
                a, b = (x[:, s.values[..., 2], s.values[..., 0], s.values[..., 1]] for s in self.indices[0])
            else:
                a, b = level[..., 0::2], level[..., 1::2]
            stacked = np.stack([w.values for w in weights], axis=1)[None, :, None]  # [1][kernel][1][node][...]
            level = _gate(stacked, a, b, self.parametrization)
        return level[..., 0].reshape(len(x), self.num_kernels, self.places, self.places)


class OrPooling:
    def __init__(self, kernel_size, stride):
        self.kernel_size, self.stride, self.padding = kernel_size, stride, 0

    def __call__(self, x):
        n, c, h, w = x.shape
        return x.reshape(n, c, h // 2, 2, w // 2, 2).max(axis=(3, 5))


class TorchlogixBinarization:
    """torchlogix.layers.FixedBinarization with feature_dim=1: bit t of channel c is channel c * bits + t."""

    def __init__(self, thresholds):
        self.thresholds, self.feature_dim = Tensor(thresholds), 1

    def get_thresholds(self):
        return self.thresholds

    def __call__(self, x):
        bits = x[:, :, None] > self.thresholds.values[None, None, :, None, None]
        return bits.reshape(len(x), -1, *x.shape[2:]).astype(float)
