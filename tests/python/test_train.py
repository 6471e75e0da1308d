"""Training through Python: the same bits as the command line, callbacks, Ctrl-C, resuming."""

import json
import os
import signal
import struct
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import firn
from conftest import COMMAND, CONFIG, left_or_right

TREES = """
[data]
source = "npy"
file = "x_train.npy"
test_file = "x_test.npy"
[model]
family = "treelogicnet"
topology = "mnist"
width = 4
[train]
steps = 40
eval_every = 20
batch = 32
[freeze]
strategy = "task"
start = 5
[freeze.task]
interval = 2
half_life = 4
patience = 1
"""

COMPACT = """
[data]
source = "npy"
file = "x_train.npy"
test_file = "x_test.npy"
[model]
family = "compact"
width = 16
[train]
steps = 40
eval_every = 20
batch = 32
[resample]
enabled = true
patience = 3
tolerance = 0.5
"""


def by_command(folder, *arguments):
    subprocess.run([COMMAND, *map(str, arguments)], cwd=folder, check=True, capture_output=True)


def write_npy(folder, side):
    for name, seed in (("train", 1), ("test", 2)):
        random = np.random.RandomState(seed)
        y = random.randint(0, 10, 200).astype(np.uint8)
        X = (random.randint(0, 100, (200, 1, side, side)) + 15 * y[:, None, None, None]).astype(np.uint8)
        np.save(folder / f"x_{name}.npy", X)
        np.save(folder / f"y_{name}.npy", y)


@pytest.mark.parametrize("name, text, side", [("trees", TREES, 28), ("compact", COMPACT, 32)])
def test_checkpoints_are_those_of_the_command_line(name, text, side, tmp_path):
    write_npy(tmp_path, side)
    (tmp_path / f"{name}.toml").write_text(text)
    by_command(tmp_path, "train", f"{name}.toml", "--data-root", ".", "--out", "command")
    config = firn.Config.named(str(tmp_path / f"{name}.toml"))
    data = firn.load_data(config, root=tmp_path)
    run = firn.train(tmp_path / f"{name}.toml", data, out=tmp_path / "python")
    for file in ("last.safetensors", "best.safetensors", "config.toml", "freezes.csv", "result.json"):
        if (tmp_path / "command" / file).exists():
            assert (tmp_path / "command" / file).read_bytes() == (tmp_path / "python" / file).read_bytes(), file
    if name == "trees":
        assert len(run.freezes["step"]) > 0
    else:
        assert any(json.loads(line)["resampled"] > 0 for line in open(tmp_path / "python" / "metrics.jsonl"))
    # The same arrays from memory: everything but the text of the configuration is equal.
    X, y = np.load(tmp_path / "x_train.npy"), np.load(tmp_path / "y_train.npy")
    firn.train(tmp_path / f"{name}.toml", X, y, out=tmp_path / "memory")
    assert arrays(tmp_path / "command/last.safetensors") == arrays(tmp_path / "memory/last.safetensors")


def arrays(file):
    content = file.read_bytes()
    return content[8 + struct.unpack("<Q", content[:8])[0]:]


def test_a_run_knows_its_history(run, images):
    assert run.metrics["step"].tolist() == [40, 80, 120]
    assert run.metrics["discrete_accuracy"][-1] > 0.9
    assert run.completed and run.path is None and "3 evaluations" in repr(run)
    with pytest.raises(firn.Error, match="out="):
        run.network("best")


def test_a_folder_keeps_the_same_history(images, run, tmp_path):
    heard = []
    kept = firn.train(CONFIG, *images, out=tmp_path / "run", on_eval=lambda p: heard.append((p.step, p.steps)),
                      set={"train.keep_at": [80]})
    assert heard == [(40, 120), (80, 120), (120, 120)]
    for key, values in run.metrics.items():
        assert (kept.metrics[key] == values).all(), key
    assert kept.network("best").step in (40, 80, 120) and kept.network(80).step == 80
    again = firn.Run.load(tmp_path / "run")
    assert again.network().step == 120 and (again.metrics["step"] == run.metrics["step"]).all()
    with pytest.raises(firn.Error, match="already holds a run"):
        firn.train(CONFIG, *images, out=tmp_path / "run")
    with pytest.raises(firn.Error, match="holds no run"):
        firn.Run.load(tmp_path)


def test_freezes_are_recorded_in_memory_and_in_a_folder(images, tmp_path):
    freeze = {"freeze": {"strategy": "task", "start": 10, "task": {"interval": 5, "half_life": 5.0, "patience": 1}}}
    in_memory = firn.train(CONFIG, *images, set=freeze)
    in_folder = firn.train(CONFIG, *images, set=freeze, out=tmp_path / "run")
    assert in_memory.network().frozen == len(in_memory.freezes["step"]) > 0
    assert set(in_memory.freezes["layer"]) <= {"conv1"}
    for key in ("step", "layer", "neuron", "slot", "gate"):
        assert (in_memory.freezes[key] == in_folder.freezes[key]).all(), key
    assert np.allclose(in_memory.freezes["score"], in_folder.freezes["score"])


def test_configurations_may_be_written_in_many_ways(tmp_path, images):
    text = "[model]\nfamily = 'dense'\nwidth = 100\nlayers = 2\n[train]\nsteps = 10\n"
    (tmp_path / "dense.toml").write_text("name = 'dense'\n" + text)
    tree = {"name": "dense", "model": {"family": "dense", "width": np.int64(100), "layers": 2}, "train.steps": 10}
    ways = ["name = 'dense'\n" + text, tree, tmp_path / "dense.toml", str(tmp_path / "dense.toml"),
            firn.Config.from_toml("name = 'dense'\n" + text)]
    networks = [firn.train(way, *images).network().to_bytes() for way in ways]
    assert all(network == networks[0] for network in networks)


@pytest.mark.parametrize("config, changes, sentence", [
    ({"train": {"stepz": 3}}, {}, "did you mean"),
    ("treelogicnet-xl", {}, "treelogicnet-"),
    ("[train]\nsteps = 'many'", {}, "configuration:2"),
    ({}, {"train.stepz": 3}, "did you mean"),
    ({}, {"train": {"batch": 0}}, "train.batch"),
    ({"model": {"layer": [{"kind": "dence", "outputs": 3}]}}, {}, "dense"),
    ({"train.steps": object()}, {}, "cannot hold"),
    ({1: 2}, {}, "must be a string"),
])
def test_mistakes_in_configurations_are_named(config, changes, sentence, images):
    with pytest.raises(firn.ConfigError, match=sentence) as refused:
        firn.train(config, *images, set=changes)
    assert isinstance(refused.value, firn.Error) and isinstance(refused.value, ValueError)


def test_other_configurations_are_type_errors(images):
    with pytest.raises(TypeError, match="preset"):
        firn.train(3, *images)


def test_validation_can_be_chosen(images, test_images):
    X, y = images
    assert firn.train(CONFIG, X, y, validation=0.25).network().config.get("data.validation") == "150"
    assert firn.train(CONFIG, X, y, validation=30).network().config.get("data.validation") == "30"
    given = firn.train(CONFIG, X, y, validation=test_images)
    seen = given.network().evaluate(*test_images)
    assert given.metrics["discrete_accuracy"][-1] == seen.discrete_accuracy
    assert given.metrics["relaxed_loss"][-1] == pytest.approx(seen.relaxed_loss, rel=1e-6)


class Mine(Exception):
    pass


def test_what_a_callback_raises_arrives_and_the_folder_can_be_resumed(images, run, tmp_path):
    def fail(progress):
        raise Mine(f"at {progress.step}")

    with pytest.raises(Mine, match="at 40"):
        firn.train(CONFIG, *images, out=tmp_path / "run", on_eval=fail)
    resumed = firn.train(CONFIG, *images, out=tmp_path / "run", resume=True)
    assert resumed.metrics["step"].tolist() == [40, 80, 120]
    assert resumed.network().to_bytes() == run.network().to_bytes()


def test_a_callback_can_end_training(images):
    def enough(progress):
        if progress.step >= 80:
            raise firn.StopTraining

    ended = firn.train(CONFIG, *images, on_eval=enough)
    assert ended.network().step == 80 and not ended.completed


def interrupted(script, folder, wait_for):
    """Runs a script, sends Ctrl-C once it has printed a line, and returns what it printed."""
    environment = dict(os.environ, PYTHONPATH=os.environ["FIRN_PACKAGE"])
    child = subprocess.Popen([sys.executable, "-u", "-c", textwrap.dedent(script)], cwd=folder, env=environment,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline().strip() == wait_for
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    return child.returncode, out, err


def test_ctrl_c_stops_training_at_a_checkpoint(tmp_path):
    code, out, err = interrupted("""
        import numpy as np, firn
        X = np.random.RandomState(1).randint(0, 256, (500, 30)).astype(np.uint8)
        y = (X[:, 0] > X[:, 1]).astype(int)
        try:
            firn.train({"model": {"family": "dense", "width": 100, "layers": 2}, "train": {"steps": 10000000,
                       "eval_every": 20}}, X, y, out="run",
                       on_eval=lambda p: print("evaluated") if p.step == 20 else None)
        except KeyboardInterrupt:
            print("interrupted after", firn.Run.load("run").network().step)
        """, tmp_path, "evaluated")
    assert code == 0, err
    assert out.startswith("interrupted after") and int(out.split()[-1]) >= 20


def test_ctrl_c_stops_a_sweep(tmp_path):
    (tmp_path / "base.toml").write_text("[data]\nsource = 'majority'\n[encode]\nencoding = 'passthrough'\n[model]\n"
                                        "family = 'dense'\nwidth = 60\nlayers = 2\n[train]\nsteps = 3000\n")
    (tmp_path / "sweep.toml").write_text("name = 's'\nbase = 'base.toml'\n[grid]\nseed = [1, 2, 3, 4, 5, 6, 7, 8]\n")
    code, out, err = interrupted("""
        import firn
        try:
            firn.sweep("sweep.toml", out="out", on_result=lambda r: print("result"))
        except KeyboardInterrupt:
            print("interrupted")
        """, tmp_path, "result")
    assert code == 0, err
    assert "interrupted" in out


def test_other_threads_run_while_a_network_is_trained(images):
    ticks, done = [], threading.Event()

    def count():
        while not done.is_set():
            ticks.append(len(ticks))
            done.wait(0.01)

    counter = threading.Thread(target=count)
    counter.start()
    before = len(ticks)
    firn.train(CONFIG, *images, set={"train.steps": 5000}, threads=1)
    seen = len(ticks) - before
    done.set()
    counter.join()
    assert seen > 3


def test_threads_train_networks_of_their_own(images):
    networks = [None] * 4

    def work(i):
        networks[i] = firn.train(CONFIG, *images, threads=1).network().to_bytes()

    workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert networks[0] is not None and all(network == networks[0] for network in networks)


def test_nothing_is_printed(images, capfd, tmp_path):
    firn.train(CONFIG, *images, out=tmp_path / "run").network().compile()
    captured = capfd.readouterr()
    assert captured.out == "" and captured.err == ""


def test_a_bar_shows_progress(images, capfd):
    pytest.importorskip("tqdm")
    heard = []
    firn.train(CONFIG, *images, progress=True, on_eval=lambda p: heard.append(p.step))
    assert heard == [40, 80, 120] and "120/120" in capfd.readouterr().err


def test_data_sets_know_what_they_are(images, test_images):
    data = firn.Dataset(*images).with_test(*test_images).with_class_names(["left", "right"])
    assert (data.shape, data.classes, data.train_count, data.test_count) == ((1, 6, 8), 2, 600, 200)
    assert data.class_names == ["left", "right"] and data.source == "memory"
    X, y = data.test_arrays()
    assert (X.reshape(200, 6, 8) == test_images[0]).all() and (y == test_images[1]).all()
    network = firn.train(CONFIG, data, set={"train.steps": 20}).network()
    assert network.class_names == ["left", "right"]
    assert network.evaluate_test(data).discrete_accuracy == network.evaluate(*test_images).discrete_accuracy
    with pytest.raises(firn.Error, match="no test set"):
        network.evaluate_test(firn.Dataset(*images))
    with pytest.raises(TypeError, match="leave y out"):
        firn.train(CONFIG, data, images[1])
    with pytest.raises(firn.ShapeError):
        firn.Dataset(images[0], images[1], shape=(3, 6, 8))
    with pytest.raises(firn.Error, match="source"):
        firn.load_data("imagenet")


def test_sources_are_loaded():
    data = firn.load_data("majority", set={"data.synthetic.inputs": 5, "data.synthetic.examples": 100})
    assert data.train_count == 100 and data.shape == (5, 1, 1) and data.source == "majority"
    assert "100 training" in repr(data)


def test_sweeps_and_reports(tmp_path):
    (tmp_path / "base.toml").write_text("[data]\nsource = 'majority'\n[encode]\nencoding = 'passthrough'\n[model]\n"
                                        "family = 'dense'\nwidth = 60\nlayers = 2\n[train]\nsteps = 400\n")
    (tmp_path / "sweep.toml").write_text("name = 's'\nbase = 'base.toml'\n[grid]\nseed = [1, 2]\n")
    heard = []
    done = firn.sweep(tmp_path / "sweep.toml", out=tmp_path / "out", on_result=heard.append)
    assert done.is_complete and len(done.results) == len(heard) == 2 and not done.failures
    assert done.results[0]["discrete_accuracy"] > 0.5 and done.table
    assert firn.Run.load(done.results[0]["folder"]).completed
    shared = firn.sweep(tmp_path / "sweep.toml", out=tmp_path / "shared", worker=True)
    assert shared.is_complete and shared.table == done.table
    status = firn.sweep_status(tmp_path / "sweep.toml", out=tmp_path / "shared")
    assert [task["state"] for task in status["tasks"]] == ["done", "done"] and status["seconds_left"] is None
    compared = firn.compare(done.results[0]["folder"], done.results[1]["folder"])
    assert compared["config"] == {"seed": ("1", "2")}
    assert compared["results"]["test.last.discrete_accuracy"][0] == done.results[0]["discrete_accuracy"]
    try:
        firn.report(tmp_path / "out", tmp_path / "report.html", title="two seeds")
    except firn.Error as error:
        assert "without" in str(error)  # the packages of figures were not there when Firn was built
    else:
        assert "two seeds" in (tmp_path / "report.html").read_text()
        firn.report(tmp_path / "out", tmp_path / "overlay.html", overlay=True)
        assert '"overlay":true' in (tmp_path / "overlay.html").read_text().replace(" ", "")


def test_small_sets_train():
    X, y = left_or_right(6, 3)
    assert firn.train(CONFIG, X, y, set={"train.steps": 3, "train.batch": 4}).network().step == 3


def test_check_verifies_folders_and_finds_damage(tmp_path):
    firn.train(CONFIG, *left_or_right(200, 1), out=tmp_path / "run")
    found = firn.check(tmp_path / "run")
    assert found["sound"] and found["recovery"] == []
    assert {"last.safetensors", "metrics.jsonl"} <= {os.path.basename(f["file"]) for f in found["files"]}
    last = tmp_path / "run/last.safetensors"
    last.write_bytes(last.read_bytes()[:-1])
    found = firn.check(tmp_path / "run")
    assert not found["sound"] and "can be resumed" in found["recovery"][0]
    with pytest.raises(firn.Error, match="no such file"):
        firn.check(tmp_path / "missing")
