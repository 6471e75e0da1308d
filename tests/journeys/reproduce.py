"""The paper's tables from a small sweep: numbers that agree with the runs, machines that add up, and mistakes that get a sentence."""

import csv
import json
import pathlib
import re
import shutil
import statistics
import struct
import subprocess
import tempfile
import tomllib
import unittest

from journey import FIRN, Journey, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/reproduce"

BASE = """
name = "dense"
[data]
source = "csv"
file = "train.csv"
test_file = "test.csv"
[encode]
encoding = "uniform"
thresholds = 7
[model]
family = "dense"
width = 60
layers = 3
[train]
steps = 200
batch = 32
eval_every = 50
checkpoint_every = 100
keep_at = [100, 200]
[freeze]
task.interval = 5
task.half_life = 10
"""

SWEEP = """
base = "base.toml"
[grid]
seed = [1, 2]
freeze.start = [25, 50]
freeze.strategy = ["final-argmax", "global", "task"]
"""

STARTS = (25, 50)
QUANTILE = 12.706  # Student's, two-sided 95 %, one degree of freedom


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def ranks(values):
    """By definition: one plus how many are smaller, plus half of the others that are equal."""
    return [1 + sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2 for value in values]


def spearman(a, b):
    return statistics.correlation(ranks(a), ranks(b))


def table_after(text, heading):
    """The cells of the first Markdown table after a heading, as dictionaries by the first cell; equal column names get numbers."""
    lines = text[text.index(heading):].splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("|"))
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[first:lines.index("", first)]]
    names = [name if cells[0].index(name) == i else f"{name} {i}" for i, name in enumerate(cells[0])]
    return [dict(zip(names, row)) for row in cells[2:]]


class Reproduce(Journey):
    @classmethod
    def setUpClass(cls):
        """One sweep for all tests; each gets a copy."""
        folder = tempfile.TemporaryDirectory(prefix="firn-journey-")
        cls.addClassCleanup(folder.cleanup)
        cls.made = pathlib.Path(folder.name)
        for name, shift in (("train", 0), ("test", 7)):
            rows = [(i * 37 % 101, (i * i + shift) % 89, i * 53 % 97) for i in range(shift, 400 + shift)]
            text = "".join(f"{a},{b},{c},{(a > 50) + (b > a)}\n" for a, b, c in rows)
            (cls.made / f"{name}.csv").write_text("a,b,c,kind\n" + text, encoding="utf-8")
        (cls.made / "base.toml").write_text(BASE, encoding="utf-8")
        (cls.made / "sweep.toml").write_text(SWEEP, encoding="utf-8")
        subprocess.run([FIRN, "sweep", "sweep.toml", "--out", "sweep", "--jobs", "1", "--threads", "1"], cwd=cls.made,
                       capture_output=True, check=True, timeout=240)

    def setUp(self):
        super().setUp()
        shutil.copytree(self.made, self.folder, dirs_exist_ok=True)

    def reproduce(self, *arguments, code=0):
        done = subprocess.run([SCRIPT, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, f"reproduce {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
        return done

    def collect(self, *arguments, folder="sweep", to="results", code=0):
        return self.reproduce("collect", folder, "--to", to, "--firn", FIRN, *arguments, code=code)

    def assert_refused(self, done, *parts):
        self.assertRegex(done.stderr, r"\Areproduce: [^\n]+\n\Z")
        for part in parts:
            self.assertIn(str(part), done.stderr)
        self.assertEqual(done.stdout, "")

    def run_folder(self, strategy, start, seed):
        middle = "" if strategy == "final-argmax" else f"start={start},"
        return self.folder / f"sweep/runs/seed={seed},{middle}strategy={strategy}"

    def last(self, strategy, start, what):
        """What the test set gave, in %, for seeds 1 and 2."""
        results = [json.loads((self.run_folder(strategy, start, seed) / "result.json").read_text())["last"] for seed in (1, 2)]
        if what == "gap":
            return [100 * (own["relaxed_accuracy"] - own["discrete_accuracy"]) for own in results]
        return [100 * own[what] for own in results]

    def assert_cell(self, cell, values, quantile=None):
        """Mean ± deviation, or ± half of the interval of the mean where a quantile is given."""
        a, b = values
        deviation = abs(a - b) / 2**0.5
        mean, plus_minus = map(float, re.fullmatch(r"([-+]?[\d.]+) ± ([\d.]+)", cell).groups())
        self.assertAlmostEqual(mean, (a + b) / 2, delta=0.0051)
        expected = deviation if quantile is None else quantile * deviation / 2**0.5
        self.assertAlmostEqual(plus_minus, expected, delta=0.0051 + 0.0005 * expected)  # the script's quantiles have four digits

    def test_accuracies_and_differences_are_those_of_the_runs(self):
        self.collect("--sweep", "sweep.toml")
        text = self.reproduce("tables", "results").stdout
        self.assertIn("10 finished runs. No planned run is missing.", text)
        for start in STARTS:
            table = table_after(text, f"Final accuracy, freezing from step {start} ")
            self.assertEqual([row["strategy"] for row in table], ["`task`", "`global`", "`final-argmax`"])
            for row in table:
                strategy = row["strategy"].strip("`")
                self.assertEqual(row["seeds"], "1, 2")
                for column, what in (("relaxed", "relaxed_accuracy"), ("discrete", "discrete_accuracy"), ("gap", "gap"), ("frozen %", "frozen")):
                    self.assert_cell(row[column], self.last(strategy, start, what))
                for mode in ("relaxed", "discrete"):
                    if strategy == "final-argmax":
                        self.assertEqual(row[f"{mode} − final-argmax"], "")
                        continue
                    pairs = zip(self.last(strategy, start, mode + "_accuracy"), self.last("final-argmax", start, mode + "_accuracy"))
                    self.assert_cell(row[f"{mode} − final-argmax"], [own - reference for own, reference in pairs], QUANTILE)
        for row in table_after(text, "Sensitivity to the start"):
            for start, column in zip(STARTS, ("start 25 (12.5 %)", "start 50 (25 %)")):
                self.assert_cell(row[column], self.last(row["strategy"].strip("`"), start, "discrete_accuracy"))
        against = table_after(self.reproduce("tables", "results", "--against", "global").stdout, "from step 25 ")
        pairs = zip(self.last("task", 25, "discrete_accuracy"), self.last("global", 25, "discrete_accuracy"))
        self.assert_cell(against[0]["discrete − global"], [own - reference for own, reference in pairs], QUANTILE)

    def test_collected_rows_are_those_of_the_sweep(self):
        self.collect("--sweep", "sweep.toml")
        theirs = {row["run"]: row for row in rows_of(self.folder / "sweep/runs.csv")}
        ours = {row["run"]: row for row in rows_of(self.folder / "results/runs.csv")}
        self.assertEqual(set(ours), set(theirs))
        for name, row in theirs.items():
            for column in ("seed", "freeze.strategy", "step", "relaxed_accuracy", "discrete_accuracy", "discrete_loss", "frozen",
                           "best_step", "best_discrete_accuracy"):
                self.assertEqual(ours[name][column], row[column])
            final = json.loads((self.folder / "sweep/runs" / name / "metrics.jsonl").read_text().splitlines()[-1])
            self.assertAlmostEqual(float(ours[name]["validation_discrete_accuracy"]), final["discrete"]["accuracy"], places=5)

    def test_dynamics_are_those_of_the_metrics(self):
        self.collect()
        fractions = {(row["run"], int(row["step"])): row for row in rows_of(self.folder / "results/dynamics.csv")}
        for folder in (self.folder / "sweep/runs").iterdir():
            self.assertEqual(sum(name == folder.name for name, _ in fractions), 41)
            for line in (folder / "metrics.jsonl").read_text().splitlines():
                evaluation = json.loads(line)
                row = fractions[folder.name, evaluation["step"]]
                self.assertAlmostEqual(float(row["all"]), evaluation["frozen"], delta=6e-5)
                for layer in evaluation["layers"]:
                    self.assertAlmostEqual(float(row[layer["name"]]), layer["frozen"], delta=6e-5)
        for row in table_after(self.reproduce("tables", "results").stdout, "Freezing dynamics"):
            strategy, start = row["strategy"].strip("`"), int(row["start"])
            metrics = [(self.run_folder(strategy, start, seed) / "metrics.jsonl").read_text().splitlines() for seed in (1, 2)]
            quarters = [[json.loads(line)["frozen"] for line in lines] for lines in metrics]
            for i, column in enumerate(("25 %", "50 %", "75 %", "end")):
                self.assertAlmostEqual(float(row[column]), 50 * (quarters[0][i] + quarters[1][i]), delta=0.06)
            freezes = [rows_of(self.run_folder(strategy, start, seed) / "freezes.csv") for seed in (1, 2)]
            first = sorted({min(int(freeze["step"]) for freeze in own) for own in freezes})
            self.assertEqual(row["first at step"], " to ".join(map(str, first)))

    def test_correlations_are_averaged_over_checkpoints_and_then_over_seeds(self):
        done = self.collect("--diagnose", "--threads", "1", "--neurons", "5", "--diagnoses", "diagnoses")
        self.assertEqual(done.stdout.count("diagnosing "), 4)
        self.assertNotIn("diagnosing ", self.collect("--diagnose", "--diagnoses", "diagnoses").stdout)
        text = self.reproduce("tables", "results").stdout
        self.assertIn("Seeds 1, 2; checkpoints at 100, 200; 40 validation examples.", text)
        columns = {"entropy": ("entropy", "argmax_effect"), "selected": ("selected_score", "selected_effect"),
                   "argmax": ("argmax_score", "argmax_effect")}
        for row in table_after(text, "Rank correlations"):
            for column, (across, up) in columns.items():
                seeds = []
                for seed in (1, 2):
                    values = []
                    for step in (100, 200):
                        effects = rows_of(self.folder / f"diagnoses/seed={seed},strategy=final-argmax/step-{step}/effects.csv")
                        effects = [own for own in effects if row["layer"] in ("all", own["layer"])]
                        values.append(spearman([float(own[across]) for own in effects], [float(own[up]) for own in effects]))
                    seeds.append(statistics.mean(values))
                mean, deviation = map(float, row[column].split(" ± "))
                self.assertAlmostEqual(mean, statistics.mean(seeds), delta=0.0011)
                self.assertAlmostEqual(deviation, statistics.stdev(seeds), delta=0.0011)
        locality = table_after(text, "Locality")
        self.assertEqual([row["step"] for row in locality], ["100", "200", "paper"])
        folders = [self.folder / f"diagnoses/seed={seed},strategy=final-argmax/step-200" for seed in (1, 2)]
        summaries = [json.loads((folder / "summary.json").read_text()) for folder in folders]
        for column, order in (("rank, first order", "first_order"), ("rank, second order", "second_order")):
            values = [own["locality"]["layers"]["all"]["median_spearman_of_error_and_displacement"][order] for own in summaries]
            self.assertAlmostEqual(float(locality[1][column]), statistics.mean(values), delta=0.0051)
        neurons = len(rows_of(self.folder / "diagnoses/seed=1,strategy=final-argmax/step-100/effects.csv"))
        for line in (self.folder / "results/diagnoses.jsonl").read_text().splitlines():
            cells = json.loads(line)["parts"]["effects"]["cells"]
            self.assertEqual({sum(count for _, _, count in own) for own in cells.values()}, {neurons})

    def test_diagnoses_stand_side_by_side(self):
        for step in (100, 200):
            self.firn("diagnose", self.run_folder("final-argmax", 25, 1) / f"step-{step}.safetensors", "--only", "shocks,locality,effects",
                      "--batches", "40", "--neurons", "8", "--threads", "1", "--out", f"diagnoses/net-{step}")
        text = self.reproduce("diagnoses", "diagnoses").stdout
        shocks = table_after(text, "What TaskFreeze sees")
        self.assertEqual([row["diagnosis"] for row in shocks], ["net-100", "", "", "net-200", "", ""])
        for step, row in ((100, shocks[0]), (200, shocks[3])):
            own = rows_of(self.folder / f"diagnoses/net-{step}/shocks.csv")
            ratios = [float(neuron["mean"]) / float(neuron["deviation"]) for neuron in own if float(neuron["deviation"]) > 0]
            self.assertAlmostEqual(float(row["50 %"]), statistics.median(ratios), delta=0.0051)
            negative = sum(float(neuron["mean"]) < 0 for neuron in own) / len(own)
            self.assertAlmostEqual(float(row["mean < 0 %"]), 100 * negative, delta=0.51)
        effects = rows_of(self.folder / "diagnoses/net-100/effects.csv")
        whole = next(row for row in table_after(text, "in double and in single precision") if row["diagnosis, layer"] == "net-100, all")
        scores, values = ([float(own[column]) for own in effects] for column in ("argmax_score", "argmax_effect"))
        risk = json.loads((self.folder / "diagnoses/net-100/summary.json").read_text())["relaxed_loss"]
        single = lambda value: struct.unpack("f", struct.pack("f", value))[0]
        rounded = [single(risk + value) - single(risk) for value in values]
        self.assertAlmostEqual(float(whole["argmax, double"]), spearman(scores, values), delta=0.0051)
        self.assertAlmostEqual(float(whole["argmax, single"]), spearman(scores, rounded), delta=0.0051)
        readings = {(row["diagnosis"], row["reading"]): row for row in table_after(text, "Readings of locality")}
        self.assertEqual(readings["paper", "not stated"]["first order"], "0.88")
        neurons = {}
        for slot in rows_of(self.folder / "diagnoses/net-100/locality.csv"):
            neurons.setdefault((slot["layer"], slot["neuron"]), []).append(slot)
        for name, reading, displacement, error in (("net-100", "error of the mean loss, all placements", "displacement", "first_error"),
                                                   ("", "errors of samples, winners", "winning_displacement", "first_sample_error")):
            ranks = []
            for own in neurons.values():
                x, y = ([float(slot[column]) for slot in own] for column in (displacement, error))
                ranks += [spearman(x, y)] if len(set(x)) > 1 and len(set(y)) > 1 else []
            row = next(own for own in table_after(text, "Readings of locality") if own["reading"] == reading)
            self.assertEqual(row["diagnosis"], name)
            self.assertAlmostEqual(float(row["first order"]), statistics.median(ranks), delta=0.0051)

    def test_seeds_of_two_machines_add_up(self):
        for seed in (1, 2):
            for run in (self.folder / "sweep/runs").glob(f"seed={seed},*"):
                shutil.copytree(run, self.folder / f"machine{seed}/runs" / run.name)
        unfinished = self.folder / "machine1/runs/seed=1,start=50,strategy=task"
        (unfinished / "result.json").rename(self.folder / "kept.json")
        done = self.collect("--sweep", "sweep.toml", folder="machine1")
        self.assertIn("4 finished runs, 4 of them new", done.stdout)
        self.assertIn("begun and not finished: seed=1,start=50,strategy=task\n", done.stdout)
        text = self.reproduce("tables", "results").stdout
        self.assertIn("4 finished runs. Missing: seed=1, freeze.start=50, freeze.strategy=task; seed=2, freeze.strategy=final-argmax; ", text)
        self.assertEqual(table_after(text, "from step 25 ")[0]["seeds"], "1")
        self.assertRegex(table_after(text, "from step 25 ")[0]["discrete − final-argmax"], r"^[-+]\d+\.\d\d$")

        (self.folder / "kept.json").rename(unfinished / "result.json")
        self.assertIn("5 finished runs, 1 of them new; results has 5", self.collect(folder="machine1").stdout)
        self.collect(folder="machine2")
        self.collect("--sweep", "sweep.toml", to="whole")
        for name in ("runs.csv", "dynamics.csv", "configs.json", "diagnoses.jsonl"):
            self.assertEqual((self.folder / "results" / name).read_bytes(), (self.folder / "whole" / name).read_bytes(), name)
        self.assertEqual(self.reproduce("tables", "results", "whole").stdout.partition("\n###")[2],
                         self.reproduce("tables", "whole").stdout.partition("\n###")[2])

    def test_a_run_is_not_replaced_by_other_values_unless_allowed(self):
        self.collect()
        before = (self.folder / "results/runs.csv").read_text()
        accuracy = rows_of(self.folder / "results/runs.csv")[0]["discrete_accuracy"]
        changed = before.replace(f",{accuracy},", ",0.125,", 1)
        (self.folder / "results/runs.csv").write_text(changed)
        self.assert_refused(self.collect(code=3), "results already has", "discrete_accuracy 0.125, not", "--replace")
        self.assertEqual((self.folder / "results/runs.csv").read_text(), changed)
        self.collect("--replace")
        self.assertEqual((self.folder / "results/runs.csv").read_text(), before)

    def test_the_paper_s_numbers_stand_beside_ours(self):
        self.collect()
        self.assertNotIn("Paper: ", self.reproduce("tables", "results").stdout)
        text = self.reproduce("tables", "results", "--paper", "treelogicnet-s").stdout
        first = {row["strategy"]: row for row in table_after(text, "from step 25 ")}
        self.assertEqual((first["`task`"]["paper"], first["`task`"]["paper, difference"]), ("60.76 ± 0.46", "+1.47"))
        self.assertEqual((first["`final-argmax`"]["paper"], first["`final-argmax`"]["paper, difference"]), ("59.29 ± 0.78", ""))
        later = {row["strategy"]: row for row in table_after(text, "from step 50 ")}
        self.assertEqual(later["`global`"]["paper"], "60.78 ± 0.28")
        self.assertIn("Paper: Tab. 2, TreeLogicNet-S after 200,000 steps.", text)
        self.assertIn("Paper: Tab. 7, TreeLogicNet-S after 200,000 steps.", text)

    def test_runs_that_differ_in_more_than_strategy_and_start_are_compared_apart(self):
        self.collect()
        shutil.copytree(self.folder / "results", self.folder / "stopped")
        configs = json.loads((self.folder / "stopped/configs.json").read_text())
        configs["common"]["resample.after_start"] = "stop"  # has no effect on final-argmax, which belongs to both
        (self.folder / "stopped/configs.json").write_text(json.dumps(configs))
        text = self.reproduce("tables", "results", "stopped").stdout
        self.assertIn("18 finished runs", text)
        for value in ("continue", "stop"):
            table = table_after(text, f"### dense, 200 steps, resample.after_start = {value}\n")
            self.assertEqual([row["strategy"] for row in table], ["`task`", "`global`", "`final-argmax`"])
            self.assert_cell(table[0]["discrete"], self.last("task", 25, "discrete_accuracy"))
        rows = (self.folder / "stopped/runs.csv").read_text().splitlines()
        final = next(i for i, row in enumerate(rows) if "strategy=final-argmax" in row)
        rows[final] = rows[final].replace(",200,", ",100,", 1)
        (self.folder / "stopped/runs.csv").write_text("\n".join(rows) + "\n")
        self.assert_refused(self.reproduce("tables", "results", "stopped", code=3), "strategy=final-argmax has step 100 in stopped", "200 in results")

    def test_settings_of_a_teacher_that_is_not_used_tell_no_runs_apart(self):
        self.collect()
        shutil.copytree(self.folder / "results", self.folder / "later")
        configs = json.loads((self.folder / "later/configs.json").read_text())
        self.assertEqual(configs["common"]["train.teacher"], "")
        configs["common"]["train.teacher_temperature"] = 7.0
        (self.folder / "later/configs.json").write_text(json.dumps(configs))
        text = self.reproduce("tables", "results", "later").stdout
        self.assertIn("10 finished runs", text)
        self.assertNotIn("teacher", text)

    def test_figures_are_drawn_and_do_not_change(self):
        if subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], capture_output=True, check=False).returncode != 0:
            self.collect()
            done = self.reproduce("tables", "results", "--figures", "figures", code=3)
            self.assert_refused(done, "python3-matplotlib")
            raise unittest.SkipTest("there is no matplotlib")
        self.collect("--diagnose", "--threads", "1", "--neurons", "5")
        for folder in ("figures", "again"):
            self.reproduce("tables", "results", "--figures", folder)
        names = sorted(path.name for path in (self.folder / "figures").iterdir())
        self.assertEqual(names, ["results-effects-100.svg", "results-effects-200.svg", "results-locality.svg",
                                 "results-start-25-freezing-layers.svg", "results-start-25-freezing.svg",
                                 "results-start-50-freezing-layers.svg", "results-start-50-freezing.svg"])
        for name in names:
            self.assertIn(b"</svg>", (self.folder / "figures" / name).read_bytes())
            self.assertEqual((self.folder / "figures" / name).read_bytes(), (self.folder / "again" / name).read_bytes())

    def test_a_plan_is_the_sweep_at_any_share_of_the_schedule(self):
        kept = ROOT / "configs/sweeps/treelogicnet-s-quarter.toml"
        (self.folder / "quarter.toml").write_text(self.reproduce("plan", "treelogicnet-s", "--share", "0.25", "--seeds", "3").stdout)
        plan, file = (tomllib.loads(path.read_text()) for path in (self.folder / "quarter.toml", kept))
        for table in (plan, file):
            del table["set"]["train"]["keep_at"], table["name"]
        self.assertEqual(plan, file)
        full = tomllib.loads(self.reproduce("plan", "compact-s", "--starts").stdout)
        self.assertEqual(full["set"]["train"]["steps"], 600000)
        self.assertEqual(full["grid"]["freeze"]["start"], [200000, 300000, 400000])
        self.assertEqual(full["grid"]["resample"]["after_start"], ["continue", "stop"])
        self.assertEqual(full["grid"]["seed"], [1, 2, 3, 4, 5])
        for network in ("treelogicnet-s", "treelogicnet-m", "compact-s", "compact-m"):
            (self.folder / "plan.toml").write_text(self.reproduce("plan", network, "--starts").stdout)
            self.firn("sweep", "plan.toml", "--list")

    def test_mistakes_get_a_sentence(self):
        self.assert_refused(self.reproduce("tables", "nowhere", code=3), "nowhere is not a directory")
        self.assert_refused(self.collect(folder="nowhere", code=3), "nowhere is not a directory")
        (self.folder / "empty").mkdir()
        self.assert_refused(self.collect(folder="empty", code=3), "empty is not the folder of a sweep")
        self.assert_refused(self.collect("--sweep", "nowhere.toml", code=3), "nowhere.toml does not exist")
        self.assert_refused(self.collect("--diagnoses", "nowhere", code=3), "nowhere is not a directory")
        (self.folder / "other.toml").write_text(SWEEP + "[set]\ntrain.steps = 300\n")
        self.assert_refused(self.collect("--sweep", "other.toml", code=3), "train.steps = 300", "was trained with 200")
        self.assert_refused(self.reproduce("diagnoses", "nowhere", code=3), "nowhere is not a directory")
        self.assert_refused(self.reproduce("diagnoses", "empty", code=3), "no diagnosis of a checkpoint in empty")
        for folder in ("one/net", "two/net"):
            self.firn("diagnose", self.run_folder("final-argmax", 25, 1) / "step-100.safetensors", "--only", "shocks", "--batches", "2", "--out", folder)
        self.assert_refused(self.reproduce("diagnoses", "one", "two", code=3), "one/net", "two/net", "same name")
        self.assert_refused(self.reproduce("plan", "resnet", code=3), "resnet", "treelogicnet-s")
        self.assert_refused(self.reproduce("plan", "compact-s", "--share", "2", code=3), "share")
        self.assertFalse((self.folder / "results").exists())
        self.collect()
        self.assert_refused(self.reproduce("tables", "results", "--against", "entropy", code=3), "no finished run in results is of entropy")
        for seed in (1, 2):
            shutil.rmtree(self.run_folder("final-argmax", 0, seed))
        self.collect(to="without")
        self.assert_refused(self.reproduce("tables", "without", code=3), "no finished run in without is of final-argmax", "--against")

    def test_damage_gets_a_sentence(self):
        result = self.run_folder("task", 25, 1) / "result.json"
        whole = result.read_text()
        result.write_text(re.sub(r'"discrete_accuracy": 0\.\d', '"discrete_accuracy": 0.1', whole))
        self.assert_refused(self.collect(code=3), "result.json", "checksum")
        result.write_text(whole[:100])
        self.assert_refused(self.collect(code=3), "result.json")
        result.write_text(whole)
        freezes = self.run_folder("task", 25, 1) / "freezes.csv"
        freezes.write_text(freezes.read_text()[:-3])
        self.assert_refused(self.collect(code=3), "freezes.csv")
        self.assertFalse((self.folder / "results").exists())
        shutil.copytree(self.made, self.folder, dirs_exist_ok=True)
        self.collect("--sweep", "sweep.toml")
        for name, spoil in (("runs.csv", lambda text: text[:-9]), ("configs.json", lambda text: text[:-9]), ("configs.json", lambda _: "{}"),
                            ("dynamics.csv", lambda text: text.replace(",0,", ",nothing,", 1)), ("diagnoses.jsonl", lambda _: "nonsense\n"),
                            ("runs.csv", lambda text: text.replace("discrete_loss", "loss", 1)), ("runs.csv", lambda text: text[:text.index("\n") + 1])):
            kept = (self.folder / "results" / name).read_text()
            (self.folder / "results" / name).write_text(spoil(kept))
            self.assert_refused(self.reproduce("tables", "results", code=3), "results", "damaged")
            (self.folder / "results" / name).write_text(kept)
        self.reproduce("tables", "results")


main()
