"""Training and what comes of it."""

import os

from ._config import resolve
from ._firn import (Config, Dataset, Error, Network, _check, _compare, _read_history, _report, _sweep, _sweep_status, _train,
                    data_folder)


class Run:
    """What training came to.

    metrics: a dictionary of arrays with one entry per evaluation: step, train_loss, relaxed_loss, relaxed_accuracy,
        discrete_loss, discrete_accuracy, frozen, learning_rate; losses and accuracies are of the validation set.
    freezes: a dictionary of arrays with one entry per frozen neuron: step, layer, neuron, slot, gate, score, entropy.
    path: the run folder, or None.

    >>> run = firn.train("treelogicnet-mnist-s", firn.load_data("mnist"), out="runs/a")
    >>> run.metrics["discrete_accuracy"][-1], run.network("best").compile()
    """

    def __init__(self, network, metrics, freezes, path=None):
        self._network = network
        self.metrics = metrics
        self.freezes = freezes
        self.path = path

    @classmethod
    def load(cls, path):
        """The run in a folder, as far as it has come."""
        path = os.fspath(path)
        metrics, freezes = _read_history(path)
        network, best = Network.load(os.path.join(path, "last.safetensors")), os.path.join(path, "best.safetensors")
        run = cls(network, metrics, freezes, path)
        if int(network.config.get("train.patience")) and run.completed and os.path.exists(best):
            run._network = Network.load(best)
        return run

    def network(self, which=None):
        """The result of the run: the network after the last step or, with train.patience, at the best evaluation.

        which: "last", "best" or the number of a kept step instead. These need a run folder, unless they are the
            result; train.keep_at names the steps that are kept.
        """
        result = "best" if int(self._network.config.get("train.patience")) else "last"
        if which is None or (which == result and self.path is None):
            return self._network
        if self.path is None:
            raise Error("a run without a folder keeps its result only; train with out=FOLDER")
        name = which if which in ("best", "last") else f"step-{int(which)}"
        return Network.load(os.path.join(self.path, f"{name}.safetensors"))

    @property
    def completed(self):
        """Whether the last step was reached, or training ran out of patience before it."""
        config, steps, losses = self._network.config, self.metrics["step"], self.metrics["discrete_loss"]
        patience = int(config.get("train.patience"))
        if not patience or not len(steps):
            return self._network.step == int(config.get("train.steps"))
        smallest, stale = float("inf"), 0
        for loss in losses[steps >= int(config.get("freeze.start"))]:
            stale = 0 if loss < smallest else stale + (loss > smallest)
            smallest = min(loss, smallest)
        return bool(stale >= patience or steps[-1] == int(config.get("train.steps")))

    def __repr__(self):
        where = f" in {self.path}" if self.path else ""
        return f"<firn.Run{where}: {len(self.metrics['step'])} evaluations, step {self._network.step}>"


def train(config, X, y=None, *, validation=None, set=None, out=None, resume=False, on_eval=None, threads=0,
          progress=False):
    """Trains a network.

    config: a preset ("treelogicnet-xs"), a path, TOML text, a dictionary of keys, or a firn.Config.
    X, y: arrays (see firn.Dataset), or a firn.Dataset in place of X.
    validation: how many examples to hold out (a fraction below 1, or a count), or a pair (X, y); a tenth by default.
    set: keys to set anew, such as {"train.steps": 500}.
    out: a run folder with checkpoints and metrics; without one nothing is written.
    resume: continue the run in the folder, bit for bit.
    on_eval: called with a firn.Progress at every evaluation. What it raises stops training and arrives here;
        firn.StopTraining just stops it. Ctrl-C stops it, too; the run folder can be resumed.
    threads: 0 uses every core; the result does not depend on it.
    progress: show a bar; needs tqdm.

    >>> run = firn.train("treelogicnet-fashion-xs", X, y, set={"train.steps": 500})
    """
    if isinstance(X, Dataset):
        if y is not None:
            raise TypeError("a firn.Dataset has its labels already; leave y out")
        data = X
    else:
        data = Dataset(X, y)
    changes = dict(set or {})
    if isinstance(validation, tuple):
        data = data.with_validation(*validation)
    elif validation is not None:
        count = round(validation * data.train_count) if 0 < validation < 1 else int(validation)
        changes["data.validation"] = max(1, count)
    resolved = resolve(config, changes)
    path = None if out is None else os.fspath(out)
    if not progress:
        return Run(*_train(resolved, data, path or "", resume, threads, on_eval), path)
    with _Bar(resolved, on_eval) as bar:
        return Run(*_train(resolved, data, path or "", resume, threads, bar), path)


class _Bar:
    """A bar of tqdm that moves at every evaluation."""

    def __init__(self, config, on_eval):
        from tqdm.auto import tqdm
        self._bar = tqdm(total=int(config.get("train.steps")), unit="step")
        self._on_eval = on_eval

    def __call__(self, p):
        self._bar.update(p.step - self._bar.n)
        self._bar.set_postfix_str(f"loss {p.train_loss:.4f}, discrete {100 * p.discrete_accuracy:.2f} %")
        if self._on_eval is not None:
            self._on_eval(p)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._bar.close()


def load_data(source, *, root=None, set=None):
    """The data set that a source or a configuration names.

    source: "cifar10", "mnist", "fashion-mnist" or another data source, or a firn.Config.
    root: the folder with data sets; else $FIRN_DATA, else ./data. ``firn data fetch`` fills it.
    set: keys of the section [data] to set, such as {"data.file": "a.npz"}.

    >>> data = firn.load_data("fashion-mnist")
    >>> X_test, y_test = data.test_arrays()
    """
    config = source if isinstance(source, Config) else resolve({"data": {"source": source}})
    return Dataset._load(resolve(config, set), data_folder("" if root is None else os.fspath(root)))


def sweep(file, *, out=None, data_root=None, jobs=0, threads=0, shared_prefix=False, worker=False, silence=120,
          retries=2, forget_failures=False, on_result=None):
    """Trains the grid of runs that a TOML file describes; finished runs in the folder are not repeated.

    on_result: called with a dictionary for every run that is finished.
    worker: work on the sweep together with other processes, on any machines that see the folder. Others take over what
        a worker does when there was no sign of life of it for `silence` seconds; a run that has failed is tried again
        `retries` times, and what was given up only with `forget_failures`.

    >>> print(firn.sweep("configs/sweeps/treelogicnet-xs.toml", out="runs/xs").table)
    """
    return _sweep(os.fspath(file), "" if out is None else os.fspath(out),
                  "" if data_root is None else os.fspath(data_root), jobs, threads, shared_prefix, worker, silence,
                  retries, forget_failures, on_result)


def sweep_status(file, *, out=None, shared_prefix=False, retries=2):
    """Who does what in a sweep that workers share: {"tasks": [...], "workers": [...], "rate": steps per second,
    "steps_left": ..., "seconds_left": None where nobody trains}. Listens to the workers for a few seconds.

    >>> firn.sweep_status("configs/sweeps/treelogicnet-xs.toml", out="runs/xs")["seconds_left"]
    """
    return _sweep_status(os.fspath(file), "" if out is None else os.fspath(out), shared_prefix, retries)


def compare(first, second):
    """What two runs differ in: {"config": {key: (first, second)}, "results": {name: (first, second)}}.

    Each is the folder of a run, a checkpoint, a compiled model or a result.json. Values of configurations are as TOML
    writes them; a result that only one of them has is None for the other.

    >>> firn.compare("runs/a", "runs/b")["config"]
    """
    return _compare(os.fspath(first), os.fspath(second))


def check(*paths):
    """Verifies files and folders by their checksums: {"sound": bool, "files": [...], "recovery": [...]}.

    Each path is a checkpoint, a model, a result, or a folder of a run, sweep or diagnosis. A file has "file", "state"
    ("sound", "unchecked", "damaged" or "left behind") and "about". "recovery" says how damaged runs go on.

    >>> firn.check("runs/a")["sound"]
    """
    return _check([os.fspath(path) for path in paths])


def report(folders, file, *, title="", circuits=True, overlay=False, data=True):
    """Writes one HTML page about folders of runs, sweeps and diagnoses.

    overlay adds a figure with all runs, even if they differ in length or data. data=False leaves out what needs the
    data set of a run: confusion, mistakes and calibration.

    >>> firn.report(["runs/a", "runs/b"], "report.html")
    """
    if isinstance(folders, (str, os.PathLike)):
        folders = [folders]
    _report([os.fspath(folder) for folder in folders], os.fspath(file), title, circuits, overlay, data)
