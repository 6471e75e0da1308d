"""A model in the style of torchlogix becomes a Firn circuit and C code. foreign.py has stand-ins with the same
attributes as torchlogix's layers, so that this runs without it; recipes.py reads nothing but those attributes."""

import numpy as np

from foreign import GroupSum, OrPooling, Sequential, TorchlogixBinarization, TorchlogixConv, TorchlogixDense
from recipes import from_torchlogix

random = np.random.RandomState(0)
model = Sequential(TorchlogixBinarization(np.array([0.25, 0.5, 0.75], np.float32)),
                   TorchlogixConv(random, channels=3, side=16, kernels=8, tree_depth=2, window=3, padding=1),
                   OrPooling(2, 2),
                   TorchlogixDense(random, 8 * 64, 400),
                   TorchlogixDense(random, 400, 200),
                   GroupSum(10, tau=5.0))

circuit = from_torchlogix(model, shape=(1, 16, 16))
X = random.rand(1000, 1, 16, 16).astype(np.float32)
same = np.allclose(circuit.class_sums(X) / circuit.tau, model(X))
print(f"{circuit.gates} gates; class sums are {'those of the model' if same else 'different'}")
circuit.export("model.c")
print("model.c: the gates as a C function, 64 samples at a time")
