"""Images of your own to Verilog: a list of layers, a test set, a proof that the file is the network."""

import sys

import numpy as np

import firn

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 2000


def bars(count, seed):
    """Grey images of 16 x 16 pixels with a bright bar that lies or stands somewhere."""
    random = np.random.RandomState(seed)
    images = random.randint(0, 120, (count, 16, 16)).astype(np.uint8)
    labels = random.randint(0, 2, count)
    for image, label in zip(images, labels):
        place = random.randint(0, 16)
        (image if label == 0 else image.T)[place] += 100
    return images, labels


config = """
[encode]
encoding = "uniform"
thresholds = 3

[[model.layer]]
kind = "tree-conv"
filters = 16
depth = 2
pool = 2
channels = "one"

[[model.layer]]
kind = "dense"
outputs = 1000

[[model.layer]]
kind = "dense"
outputs = 600
"""

data = firn.Dataset(*bars(4000, seed=1)).with_test(*bars(1000, seed=2)).with_class_names(["lying", "standing"])
run = firn.train(config, data, set={"train.steps": steps, "train.eval_every": max(1, steps // 4),
                                    "train.learning_rate": 0.05},
                 on_eval=lambda p: print(f"step {p.step}: {100 * p.discrete_accuracy:.1f} % of the validation set"))
network = run.network()
print(f"{100 * network.evaluate_test(data).discrete_accuracy:.1f} % of the test set")

circuit = network.compile()
circuit.export("bars.v", with_encoder=True, with_head=True, pipeline=2)  # a module on pixels, for a chip
circuit.export("gates.v")                                               # the gates alone, for the proof
proof = circuit.verify(firn.Circuit.import_file("gates.v", circuit))
print(f"bars.v: {circuit.gates} gates; the exported gates are {'proved equal' if proof else proof.difference}")
