"""Networks and circuits as Python sees them."""

import concurrent.futures
import copy
import gc
import pickle

import numpy as np
import pytest

import firn
from conftest import CONFIG


def test_layers_show_wires_logits_and_gates(network):
    conv, dense = network.layers
    assert (conv.name, conv.kind, conv.neurons, conv.input, conv.output) == (
        "conv1", "tree-conv", 24, (3, 6, 8), (8, 3, 4))
    assert conv.wires.shape == conv.places.shape == (8, 4) and conv.places.max() < 9
    assert dense.wires.shape == (120, 2) and dense.places is None and dense.wires.max() < 96
    assert dense.logits.shape == (120, 16) and (dense.frozen == -1).all()
    assert (dense.gates == dense.logits.argmax(axis=1)).all()
    assert list(network.gates) == list(network.wires) == list(network.logits) == ["conv1", "fc1"]
    assert (network.gates["fc1"] == dense.gates).all()


def test_views_are_read_only_and_outlive_their_network(images):
    network = firn.train(CONFIG, *images, set={"train.steps": 3}).network()
    logits = network.logits["fc1"]
    expected = logits.copy()
    for array in (logits, network.wires["fc1"], network.gates["fc1"], network.layers[0].frozen):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(ValueError):
        logits.flags.writeable = True
    del network
    gc.collect()
    assert (logits == expected).all()


def test_evaluations_count_what_predictions_say(network, test_images):
    X, y = test_images
    seen = network.evaluate(X, y)
    assert seen.samples == 200 and seen.discrete_accuracy == (network.predict(X) == y).mean() > 0.9
    assert seen.confusion.shape == (2, 2) and seen.confusion.trace() == seen.discrete_accuracy * 200
    assert seen.relaxed_loss > 0 and seen.discrete_loss > 0 and "200 samples" in repr(seen)


def test_scores_diagnosis_and_rules(network, images):
    X, y = images
    scores = network.scores(X, y)
    assert scores["conv1"].shape == (24, 16) and np.isfinite(scores["fc1"]).all()
    effects = network.diagnose(X[:64], y[:64])
    assert effects[0]["layer"] == "conv1" and effects[0]["neurons"] == 24 and -1 <= effects[0]["argmax"] <= 1
    frozen = network.discretize(X, y, rule="first-order", samples=64, seed=3)
    assert frozen.frozen == frozen.neurons and network.frozen == 0
    with pytest.raises(firn.Error, match="rule|choose"):
        network.discretize(X, y, rule="best")


def test_refining_lowers_the_discrete_loss(network, images):
    X, y = images
    refined = network.refine(X, y, held_out=0.2, sweeps=2)
    assert refined.evaluate(X, y).discrete_loss <= network.evaluate(X, y).discrete_loss
    with pytest.raises(firn.Error, match="objective"):
        network.refine(X, y, objective="speed")


def test_files_bytes_pickles_and_copies_are_the_same_network(network, circuit, test_images, tmp_path):
    X, _ = test_images
    network.save(tmp_path / "a.safetensors")
    circuit.save(tmp_path / "a.firn")
    assert (tmp_path / "a.safetensors").read_bytes() == network.to_bytes()
    assert (tmp_path / "a.firn").read_bytes() == circuit.to_bytes()
    for one, others in (
            (network, [firn.Network.load(str(tmp_path / "a.safetensors")), firn.Network.from_bytes(network.to_bytes()),
                       pickle.loads(pickle.dumps(network)), copy.copy(network), copy.deepcopy(network)]),
            (circuit, [firn.Circuit.load(tmp_path / "a.firn"), firn.Circuit.from_bytes(circuit.to_bytes()),
                       pickle.loads(pickle.dumps(circuit)), copy.copy(circuit), copy.deepcopy(circuit)])):
        for other in others:
            assert other.to_bytes() == one.to_bytes()
            assert (other.predict(X) == one.predict(X)).all()
    config = network.config
    assert pickle.loads(pickle.dumps(config)) == config and hash(copy.copy(config)) == hash(config)


@pytest.mark.parametrize("content", [b"", b"12345678", b"\xff" * 100])
def test_damaged_files_are_refused(content, tmp_path, network, circuit):
    (tmp_path / "damaged").write_bytes(content)
    for load in (firn.Network.load, firn.Circuit.load):
        with pytest.raises(firn.Error, match="damaged"):
            load(tmp_path / "damaged")
        with pytest.raises(firn.Error):
            load(tmp_path / "missing")
    for kind, whole in ((firn.Network, network.to_bytes()), (firn.Circuit, circuit.to_bytes())):
        with pytest.raises(firn.Error):
            kind.from_bytes(whole[:-1])


def simulate(circuit, bits):
    """The netlist as its documentation says, one bit per sample: [input][sample] to [output][sample]."""
    nodes = [np.zeros(bits.shape[1], bool), *bits]
    for a, b, gate, _ in circuit.netlist.tolist():
        left, right = nodes[a // 2] ^ (a % 2 == 1), nodes[b // 2] ^ (b % 2 == 1)
        nodes.append((gate >> (3 - (2 * left.astype(int) + right))) % 2 == 1)
    return np.array([nodes[literal // 2] ^ (literal % 2 == 1) for literal in circuit.outputs.tolist()])


def test_the_netlist_computes_what_the_circuit_predicts(circuit):
    netlist = circuit.netlist
    assert netlist.dtype.names == ("a", "b", "gate", "layer") and len(netlist) == circuit.gates
    bits = np.random.RandomState(1).rand(circuit.input_bits, 128) < 0.5
    rows = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    out = circuit.predict_bits(rows)
    unpacked = np.unpackbits(out.view(np.uint8), axis=1, bitorder="little").astype(bool)
    assert (unpacked == simulate(circuit, bits)).all()
    assert sum(layer["gates"] for layer in circuit.layers) == circuit.gates
    for wrong in (rows.astype(np.int64), rows[:, ::2]):
        with pytest.raises(TypeError, match="uint64"):
            circuit.predict_bits(wrong)
    for wrong in (rows[1:], rows.ravel()):
        with pytest.raises(firn.ShapeError):
            circuit.predict_bits(wrong)


def test_class_sums_decide(circuit, test_images):
    X, _ = test_images
    sums = circuit.class_sums(X)
    assert sums.shape == (200, 2) and (sums.argmax(axis=1) == circuit.predict(X)).all()


@pytest.mark.parametrize("file", ["a.c", "a.v", "a.blif", "a.aig", "a.aag"])
def test_exports_come_back_proved(file, circuit, tmp_path):
    circuit.export(tmp_path / file)
    proof = circuit.verify(firn.Circuit.import_file(tmp_path / file, circuit))
    assert proof and proof.is_proved and proof.unknown == 0 and "proved" in repr(proof)


def test_export_takes_names_and_options(circuit, test_images, tmp_path):
    circuit.export(tmp_path / "out.txt", "verilog", name="mine", with_encoder=True, with_head=True, pipeline=2)
    assert "module mine" in (tmp_path / "out.txt").read_text()
    circuit.export(tmp_path / "mods.v", hierarchical=True)
    assert (tmp_path / "mods.v").read_text().count("\nmodule mods") > 1
    circuit.export_testbench(tmp_path / "mine_tb.v", test_images[0][:5], with_encoder=True, pipeline=2)
    assert "module mine_tb" in (tmp_path / "mine_tb.v").read_text()
    circuit.export(tmp_path / "hot.aag", head="one-hot")
    assert (tmp_path / "hot.aag").read_text().split()[4] == str(circuit.classes)
    assert circuit.verify_file(tmp_path / "hot.aag").is_proved
    for settings in ({"file": "a.v", "head": "unary"}, {"file": "a.v", "head": "one-hot", "with_head": True}, {"file": "a.xyz"}, {"file": "a.v", "format": "vhdl"}, {"file": "a.aig", "pipeline": 2}):
        with pytest.raises(firn.Error):
            circuit.export(tmp_path / settings.pop("file"), **settings)


def test_other_tools_judge_a_circuit(circuit, tmp_path):
    found = circuit.synthesize(targets=["abc"], circuits=["alone", "both"])
    assert [(c["encoder"], c["head"]) for c in found["circuits"]] == [(False, False), (True, True)]
    assert found["circuits"][0]["targets"][0]["figures"]["abc_lut6"]["measured"] > 0
    assert found["tools"][0]["package"] == "berkeley-abc"
    with pytest.raises(firn.Error, match="osu018"):
        circuit.synthesize(targets=["paper"])
    circuit.export(tmp_path / "a.v", with_head=True, clock="200MHz")
    assert "localparam LATENCY" in (tmp_path / "a.v").read_text()


def test_circuits_of_floats_are_exported_with_their_encoder(tmp_path):
    X = np.random.default_rng(1).normal(size=(300, 3)).astype(np.float32)
    y = (X[:, 0] > X[:, 1]).astype(np.int64)
    config = {"model": {"family": "dense", "width": 60, "layers": 2}, "encode": {"thresholds": 4, "scope": "feature"},
              "train": {"steps": 30, "batch": 32, "eval_every": 30}}
    circuit = firn.train(config, X, y).network().compile()
    assert circuit.thresholds.shape == (3, 4) and (np.diff(circuit.thresholds, axis=1) > 0).all()
    circuit.export(tmp_path / "a.c", with_encoder=True, with_head=True)
    assert "unsigned a(const float *features, uint64_t *work);" in (tmp_path / "a.h").read_text()
    circuit.export(tmp_path / "b.c", with_encoder=True, with_head=True, input="fixed:8.8")
    assert "int16_t b_fixed(float value)" in (tmp_path / "b.h").read_text()
    assert circuit.verify_file(tmp_path / "a.c") and circuit.verify_file(tmp_path / "b.c")
    circuit.export(tmp_path / "b.v", with_encoder=True, with_head=True, input="fixed:8.8")
    assert circuit.verify_file(tmp_path / "b.v", input="fixed:8.8").is_proved
    assert circuit.verify_file(tmp_path / "b.v", input="fixed:9.7").difference
    with pytest.raises(firn.Error, match="say in which format"):
        circuit.verify_file(tmp_path / "b.v")
    with pytest.raises(firn.Error, match="fixed:I.F"):
        circuit.export(tmp_path / "c.c", with_encoder=True, input="double")


def test_circuits_that_differ_are_told_apart(circuit, images):
    other = firn.train(CONFIG, *images, set={"seed": 2}).network().compile()
    proof = circuit.verify(other)
    assert not proof and proof.difference


def test_ten_threads_share_one_circuit(circuit, network, test_images):
    X, y = test_images
    expected = circuit.predict(X)
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        for answer in pool.map(lambda i: circuit.predict(X, threads=i % 3), range(200)):
            assert (answer == expected).all()
        for answer in pool.map(lambda _: network.evaluate(X, y).discrete_loss, range(20)):
            assert answer == network.evaluate(X, y).discrete_loss


def test_joblib_processes_and_threads_share_circuits(circuit, test_images):
    joblib = pytest.importorskip("joblib")
    X, _ = test_images
    expected = circuit.predict(X)
    for backend in ("loky", "threading"):
        answers = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(circuit.predict)(X) for _ in range(6))
        assert all((answer == expected).all() for answer in answers)


def test_a_circuit_becomes_a_page_that_runs_it(circuit, tmp_path):
    features = int(np.prod(circuit.shape))
    X = np.zeros((30, features), dtype=np.uint8)
    y = np.zeros(30, dtype=np.uint8)
    circuit.play(tmp_path / "play.html", X, y, title="<mine>", examples=10)
    page = (tmp_path / "play.html").read_text(encoding="utf-8")
    assert "<title>&lt;mine&gt;</title>" in page
    assert '"numbers":[1,4,7,10,13,16,19,22,25,28]' in page
    assert circuit.draw(view=0).startswith("<svg ")
    with pytest.raises(firn.Error, match="no layer conv99"):
        circuit.draw(layer="conv99")
    circuit.play(tmp_path / "bare.html")
    assert '"numbers":[]' in (tmp_path / "bare.html").read_text(encoding="utf-8")
    with pytest.raises(firn.Error, match="the same length"):
        circuit.play(tmp_path / "none.html", X, y[:3])
    assert not (tmp_path / "none.html").exists()
