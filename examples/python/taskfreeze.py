"""TaskFreeze against argmax after the last step: learning curves with matplotlib."""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import firn  # noqa: E402

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 5000

data = firn.load_data("fashion-mnist")
figure, (accuracy, frozen) = plt.subplots(1, 2, figsize=(10, 4))
for strategy in ("final-argmax", "task"):
    run = firn.train("treelogicnet-fashion-xs", data, set={
        "train.steps": steps, "train.eval_every": max(1, steps // 20), "freeze.strategy": strategy,
        "freeze.start": steps // 4, "freeze.task.interval": max(1, steps // 200), "freeze.task.half_life": max(1, steps / 20)})
    m = run.metrics
    accuracy.plot(m["step"], 100 * m["relaxed_accuracy"], "--", label=f"{strategy}, relaxed")
    accuracy.plot(m["step"], 100 * m["discrete_accuracy"], label=f"{strategy}, discrete")
    frozen.plot(m["step"], 100 * m["frozen"], label=strategy)
    test = run.network().evaluate_test(data)
    print(f"{strategy}: {100 * test.discrete_accuracy:.2f} % discrete, {100 * test.relaxed_accuracy:.2f} % relaxed, "
          f"{len(run.freezes['step'])} neurons frozen during training")
accuracy.set(xlabel="step", ylabel="accuracy on the validation set, %")
frozen.set(xlabel="step", ylabel="neurons frozen, %")
accuracy.legend()
figure.tight_layout()
figure.savefig("taskfreeze.png", dpi=120)
