"""Reports of a real small sweep and its diagnosis, looked at in a browser; a run watched while it goes on."""

import csv
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import xml.etree.ElementTree

from journey import FIRN, Journey, main
from pages import browser, rows_of

STRATEGIES = ["final-argmax", "global", "task", "entropy", "layer-entropy", "cage"]
FIVE_MEGABYTES = 5 * 1024 * 1024

BASE = """
name = "tree"
[data]
source = "fashion-mnist"
validation = 200
[model]
family = "treelogicnet"
width = 1
[train]
steps = 40
batch = 32
eval_every = 10
checkpoint_every = 20
[freeze]
task.interval = 2
task.half_life = 4
entropy.patience = 3
entropy.tolerance = 0.01
"""

SWEEP = """
base = "base.toml"
[grid]
freeze.strategy = ["final-argmax", "global", "task", "entropy", "layer-entropy", "cage"]
freeze.start = [10, 20]
seed = [1, 2]
"""


class Report(Journey):
    @classmethod
    def setUpClass(cls):
        """One sweep and one diagnosis for all tests, which only read them."""
        cls.made = Report("firn")
        cls.made.setUp()
        made = cls.made.folder
        (made / "base.toml").write_text(BASE, encoding="utf-8")
        (made / "grid.toml").write_text(SWEEP, encoding="utf-8")
        cls.sweep_output = cls.made.firn("sweep", "grid.toml", "--out", "sweep", "--shared-prefix").stdout
        cls.sweep = made / "sweep"
        cls.run_folder = cls.sweep / "runs" / "strategy=final-argmax,seed=1"
        cls.diagnose_output = cls.made.firn("diagnose", cls.run_folder / "last.safetensors", "--samples", 40, "--neurons", 3,
                                            "--only", "effects,locality,heldout,gaps,discrete", "--fit-samples", 60, "--out",
                                            "diagnosis").stdout
        cls.diagnosis = made / "diagnosis"

    @classmethod
    def tearDownClass(cls):
        cls.made.doCleanups()

    def report(self, *arguments, code=0):
        return self.firn("report", *arguments, "-o", "report.html", code=code)

    def look(self, width=1200, scheme="light"):
        facts = browser("look", (self.folder / "report.html").as_uri(), width, scheme)
        self.assertEqual(facts["errors"], [])
        self.assertEqual(facts["requests"], [(self.folder / "report.html").as_uri()], "the page asked for something")
        self.assertLessEqual(facts["widths"][0], facts["widths"][1], "the page is wider than the screen")
        return facts, {figure["id"]: figure for figure in facts["figures"]}

    def close_to(self, text, value, digits):
        self.assertLessEqual(abs(float(text) - value), 0.5001 * 10.0 ** (1 - digits) * abs(value))

    def test_every_panel_of_a_sweep_and_its_diagnosis_is_there(self):
        self.report(self.sweep, self.diagnosis)
        self.assertLessEqual((self.folder / "report.html").stat().st_size, FIVE_MEGABYTES)
        facts, figures = self.look()
        self.check_panels(figures)
        for id, tip in facts["tips"].items():
            self.assertRegex(tip, r"\d", f"hovering over {id} shows no value")
        self.assertNotEqual(*facts["backgrounds"])
        for strategy in STRATEGIES:
            self.assertIn(strategy, facts["text"])
        self.check_files(figures)

    def check_panels(self, figures):
        panels = {id: len(figure["panels"]) for id, figure in figures.items()}
        self.assertEqual(panels, {
            "summary": 1, "side-by-side": 2, "study-1-learning": 6, "study-1-freezing": 4, "study-1-sensitivity": 2,
            "study-1-gates": 1, "study-1-drawing": 1, "study-1-resources": 2, "study-1-runs": 1, "diagnosis-1-effects": 3, "diagnosis-1-spearman": 1, "diagnosis-1-locality": 3,
            "diagnosis-1-gaps": 1, "diagnosis-1-discrete": 8, "configuration": 1})
        for figure in figures.values():
            self.assertGreater(len(figure["caption"]), 40)
            for panel in figure["panels"]:
                self.assertGreater(panel["height"], 30, figure["id"])
                self.assertTrue(panel["pictures"] > 0 or panel["shapes"] + panel["rows"] > 2, figure["id"])
            self.assertEqual(figure["csv"]["name"], figure["id"] + ".csv")
            self.assertGreater(len(rows_of(figure["csv"]["text"])), 0, figure["id"])
            if "svg" in figure:
                self.assertEqual(figure["svg"]["name"], figure["id"] + ".svg")
                self.assertEqual((figure["svg"]["parsed"]["root"], figure["svg"]["parsed"]["errors"]), ("svg", 0))
                self.assertGreater(figure["svg"]["parsed"]["shapes"], 3)
                self.assertNotIn("var(--page", figure["svg"]["text"])
                self.assertNotIn("href=\"http", figure["svg"]["text"])

    def check_files(self, figures):
        """What can be saved from the page is what the folders hold."""
        self.check_curves(rows_of(figures["study-1-learning"]["csv"]["text"]))
        self.check_freezing(rows_of(figures["study-1-freezing"]["csv"]["text"]))
        self.check_tables(rows_of(figures["study-1-sensitivity"]["csv"]["text"]), rows_of(figures["summary"]["csv"]["text"]))
        self.check_effects(rows_of(figures["diagnosis-1-effects"]["csv"]["text"]), rows_of(figures["diagnosis-1-spearman"]["csv"]["text"]))
        self.check_flips(rows_of(figures["diagnosis-1-discrete"]["csv"]["text"]))
        gates = [row for row in rows_of(figures["study-1-gates"]["csv"]["text"]) if row["run"] == self.run_folder.name]
        compiled = self.firn("compile", self.run_folder / "last.safetensors", "-o", "a.firn").stdout
        before, after = (sum(int(row[key]) for row in gates) for key in ("before", "after"))
        self.assertRegex(compiled, rf"\nall +{before:,} +{after:,} ")
        config = {row["key"]: row for row in rows_of(figures["configuration"]["csv"]["text"])}
        self.assertEqual(config["freeze.strategy"][self.run_folder.name], "final-argmax")
        self.assertEqual(config["train.steps"][self.run_folder.name], "40")

    def check_curves(self, curves):
        for folder in (self.sweep / "runs").iterdir():
            metrics = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
            own = [row for row in curves if row["run"] == folder.name]
            self.assertEqual([int(row["step"]) for row in own], [line["step"] for line in metrics])
            for row, line in zip(own, metrics):
                for kind in ("relaxed", "discrete"):
                    for measure in ("loss", "accuracy"):
                        self.close_to(row[f"{kind}_{measure}"], line[kind][measure], 6)

    def check_freezing(self, freezing):
        some = False
        for folder in (self.sweep / "runs").iterdir():
            last = json.loads((folder / "metrics.jsonl").read_text().splitlines()[-1])
            with open(folder / "freezes.csv", encoding="utf-8", newline="") as file:
                events = list(csv.DictReader(file))
            for layer in [{"name": "all", "frozen": last["frozen"]}, *last["layers"]]:
                own = [row for row in freezing if row["run"] == folder.name and row["layer"] == layer["name"]]
                self.close_to(own[-1]["frozen"], layer["frozen"], 4)
                count = len([event for event in events if layer["name"] in ("all", event["layer"])])
                for row in own:
                    done = len([e for e in events if layer["name"] in ("all", e["layer"]) and int(e["step"]) <= float(row["step"])])
                    self.close_to(row["frozen"], layer["frozen"] * done / count if count else 0, 3)
                some = some or count > 0
        self.assertTrue(some, "no run has frozen anything, so nothing was compared")

    def check_tables(self, sensitivity, summary):
        with open(self.sweep / "table.csv", encoding="utf-8", newline="") as file:
            table = {(row["freeze.strategy"], row["column"]): row for row in csv.DictReader(file)}
        self.assertEqual(len(sensitivity), len(table))
        for row in sensitivity:
            expected = table[row["strategy"], f"start {row['start']}"]
            self.assertEqual(row["count"], expected["count"])
            self.close_to(expected["mean"], 100 * float(row["mean"]), 5)
            self.close_to(expected["deviation"], 100 * float(row["deviation"]), 4)
        for row in summary:
            if row["measure"] == "last":
                self.close_to(table[row["strategy"], "start 20"]["mean"], 100 * float(row["mean"]), 5)

    def check_effects(self, neurons, spearman):
        with open(self.diagnosis / "effects.csv", encoding="utf-8", newline="") as file:
            source = list(csv.DictReader(file))
        self.assertEqual(len(neurons), len(source))
        for row, expected in zip(neurons, source):
            self.assertEqual(row["layer"], expected["layer"])
            for key in ("entropy", "argmax_score", "argmax_effect", "selected_displacement"):
                self.close_to(row[key], float(expected[key]), 4)
        all_layers = json.loads((self.diagnosis / "summary.json").read_text())["effects"]["all"]
        for key in ("entropy", "argmax"):
            self.close_to(spearman[0][key], all_layers["spearman"][key]["value"], 6)

    def check_flips(self, bins):
        with open(self.diagnosis / "flips.csv", encoding="utf-8", newline="") as file:
            source = list(csv.DictReader(file))
        for examples, column in (("fitting", "effect"), ("held out", "heldout_effect")):
            for layer in {row["layer"] for row in source}:
                own = [row for row in bins if row["layer"] == layer and row["examples"] == examples]
                effects = [float(row[column]) for row in source if row["layer"] == layer]
                self.assertEqual(sum(int(row["flips"]) for row in own), len(effects))
                self.assertEqual(sum(int(row["flips"]) for row in own if float(row["to"]) < 0),
                                 sum(effect < -1e-6 for effect in effects))

    def test_it_fits_a_phone_and_the_dark(self):
        self.report(self.sweep, self.diagnosis)
        facts, figures = self.look(width=360, scheme="dark")
        red = int(re.match(r"rgb\((\d+)", facts["backgrounds"][0]).group(1))
        self.assertLess(red, 60)
        self.assertEqual(len(figures), 15)
        for figure in figures.values():
            for panel in figure["panels"]:
                self.assertTrue(panel["pictures"] > 0 or panel["shapes"] + panel["rows"] > 2, figure["id"])

    def test_a_run_shows_its_mistakes(self):
        self.report(self.run_folder, "--examples", 0)
        _, figures = self.look()
        names = {"confusion": 3, "gallery": 1, "calibration": 2, "drawing": 1, "resources": 2}
        for name, panels in names.items():
            self.assertEqual(len(figures[f"study-1-{name}"]["panels"]), panels, name)
        self.check_answers(figures)
        last = json.loads((self.run_folder / "metrics.jsonl").read_text().splitlines()[-1])
        resources = rows_of(figures["study-1-resources"]["csv"]["text"])[0]
        self.assertEqual(int(resources["steps"]), last["step"])
        self.assertGreater(float(resources["steps_per_second"]), 0)
        self.assertEqual(float(resources["checkpoint_bytes"]), (self.run_folder / "last.safetensors").stat().st_size)

    def check_answers(self, figures):
        """Confusion, calibration and the gallery, against `firn eval` and `firn predict` on the whole test set."""
        counts = rows_of(figures["study-1-confusion"]["csv"]["text"])
        evaluated = json.loads(self.firn("eval", self.run_folder / "last.safetensors", "--split", "test", "--json").stdout)
        for kind in ("relaxed", "discrete"):
            own = [row for row in counts if row["network"] == kind]
            right = sum(int(row["count"]) for row in own if row["true"] == row["predicted"])
            total = sum(int(row["count"]) for row in own)
            self.assertEqual(total, 10000)
            self.assertAlmostEqual(right / total, evaluated[kind]["accuracy"], places=6)
            bins = [row for row in rows_of(figures["study-1-calibration"]["csv"]["text"]) if row["network"] == kind]
            self.assertEqual(sum(int(row["examples"]) for row in bins), total)
            self.assertAlmostEqual(sum(int(row["examples"]) * float(row["accuracy"]) for row in bins) / total, right / total, places=4)
        self.firn("predict", self.run_folder / "last.safetensors", "--probabilities", "-o", "predictions.csv")
        predicted = {row["row"]: row for row in rows_of((self.folder / "predictions.csv").read_text())}
        shown = rows_of(figures["study-1-gallery"]["csv"]["text"])
        self.assertGreater(len(shown), 20)
        for row in shown:
            expected = predicted[row["example"]]
            self.assertEqual((row["discrete"], row["label"]), (expected["prediction"], expected["label"]))
            self.assertAlmostEqual(float(row["discrete_probability"]), float(expected["probability_" + row["discrete"]]), places=3)
            if row["kind"] == "mistakes":
                self.assertNotEqual(row["discrete"], row["label"])
            else:
                self.assertNotEqual(row["discrete"], row["relaxed"])
        mistakes = [float(row["discrete_probability"]) for row in shown if row["kind"] == "mistakes"]
        self.assertEqual(mistakes, sorted(mistakes, reverse=True))
        wrong = [row for row in predicted.values() if row["prediction"] != row["label"]]
        self.assertAlmostEqual(mistakes[0], max(float(row["probability_" + row["prediction"]]) for row in wrong), places=3)

    def test_freezing_is_a_film(self):
        run = self.sweep / "runs" / "strategy=global,start=20,seed=1"
        self.report(run, "--no-data", "--no-circuits")
        _, figures = self.look()
        shown = rows_of(figures["study-1-film"]["csv"]["text"])
        with open(run / "freezes.csv", encoding="utf-8", newline="") as file:
            events = list(csv.DictReader(file))
        self.assertEqual(sorted((row["layer"], row["neuron"], row["step"]) for row in shown),
                         sorted((event["layer"], event["neuron"], event["step"]) for event in events))
        facts = browser("film", (self.folder / "report.html").as_uri())
        self.assertEqual(facts["errors"], [])
        self.assertTrue(all(" 0 of " in text for text in facts["start"]), facts["start"])
        self.assertFalse(any(" 0 of " in text for text in facts["end"]), facts["end"])
        self.assertRegex(facts["about"], r"frozen at step \d+ to .*predicted change of the loss")

    def test_a_hundred_runs_stay_readable(self):
        for seed in range(100):
            run = self.folder / "many" / "runs" / f"seed={seed}"
            self.copy_without_checksums(self.run_folder, run)
            (run / "last.safetensors").unlink()
            config = (run / "config.toml").read_text().replace("\nseed = 1\n", f"\nseed = {seed}\n", 1)
            (run / "config.toml").write_text(config, encoding="utf-8")
        self.report("many")
        _, figures = self.look()
        for id, figure in figures.items():
            for panel in figure["panels"]:
                self.assertLess(panel["height"], 700, id)
        self.assertEqual(len(rows_of(figures["study-1-runs"]["csv"]["text"])), 100)

    def test_circuits_are_drawn(self):
        self.firn("draw", self.run_folder / "last.safetensors", "-o", "filters.svg")
        self.firn("draw", self.run_folder / "last.safetensors", "--cone", 3, "-o", "cone.svg")
        self.firn("draw", self.run_folder / "last.safetensors", "--view", 3, "-o", "view.svg")
        for name, shape in (("filters", "circle"), ("cone", "line"), ("view", "rect")):
            text = (self.folder / f"{name}.svg").read_text(encoding="utf-8")
            root = xml.etree.ElementTree.fromstring(text)
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
            self.assertGreater(len(root.findall("{http://www.w3.org/2000/svg}" + shape)), 3, name)
        self.assert_sentence(self.firn("draw", self.run_folder / "last.safetensors", "--layer", "conv9", code=3), "conv9")
        self.assert_sentence(self.firn("draw", self.run_folder / "last.safetensors", "--view", 99999999, code=3), "99999999")

    def copy_without_checksums(self, folder, to):
        """As an earlier version would have written it, so that a test can change files by hand."""
        shutil.copytree(folder, to)
        for sums in to.rglob("checksums.json"):
            sums.unlink()
        for sealed in (*to.rglob("result.json"), *to.rglob("summary.json")):
            values = json.loads(sealed.read_text())
            del values["format"], values["checksum"]
            sealed.write_text(json.dumps(values))

    def test_runs_of_different_length_and_data_are_overlaid_when_asked(self):
        short, other = self.folder / "short", self.folder / "other"
        self.copy_without_checksums(self.run_folder, short)
        self.copy_without_checksums(self.run_folder, other)
        lines = (short / "metrics.jsonl").read_text().splitlines(keepends=True)
        (short / "metrics.jsonl").write_text("".join(lines[:2]), encoding="utf-8")
        config = (short / "config.toml").read_text().replace("\nsteps = 40", "\nsteps = 20", 1)
        (short / "config.toml").write_text(config, encoding="utf-8")
        config = (other / "config.toml").read_text().replace('"fashion-mnist"', '"mnist"', 1)
        (other / "config.toml").write_text(config, encoding="utf-8")
        self.report(short, other, "--no-circuits")
        self.assertNotIn("overlay", self.look()[1])
        self.report(short, other, "--no-circuits", "--overlay")
        figure = self.look()[1]["overlay"]
        self.assertEqual(len(figure["panels"]), 1)
        rows = rows_of(figure["csv"]["text"])
        self.assertEqual([(row["run"], int(row["step"]), float(row["share"])) for row in rows],
                         [("short", 10, 50), ("short", 20, 100)] + [("other", step, 2.5 * step) for step in (10, 20, 30, 40)])
        compared = json.loads(self.firn("compare", "short", "other", "--json").stdout)
        self.assertEqual(compared["config"], {"data.source": ['"fashion-mnist"', '"mnist"'], "train.steps": ["20", "40"]})
        self.assertEqual(compared["results"]["validation.step"], [20, 40])
        shown = self.firn("compare", "short", "other").stdout
        self.assertRegex(shown, r"train\.steps +20 +40\n")
        self.assertIn("The configurations are the same.", self.firn("compare", "short", "short").stdout)
        self.assert_sentence(self.firn("compare", self.run_folder, "none", code=3), "none")

    def test_hostile_names_are_text(self):
        attack = "<script>window.hacked=1</script><img src=x onerror=alert(1)>"
        run = self.folder / "run<script>alert(1)<"
        self.copy_without_checksums(self.run_folder, run)
        config = (run / "config.toml").read_text()
        config = config.replace('name = "tree"', f"name = '{attack}'").replace('file = ""', "file = '../../etc/passwd\u2028</script>'", 1)
        config = config.replace('label_column = ""', f"label_column = '{'long' * 2500}'", 1)
        (run / "config.toml").write_text(config.replace('"final-argmax"', f"'{'<b>s' * 2500}'", 1), encoding="utf-8")
        metrics = (run / "metrics.jsonl").read_text().replace('"conv1"', '"</script><script>window.hacked=1</script>"')
        (run / "metrics.jsonl").write_text(metrics, encoding="utf-8")
        sweep = self.folder / "sweep"
        shutil.copytree(self.run_folder, sweep / "runs" / "a")
        (sweep / "runs.csv").write_text(f"freeze.strategy,seed,run\ntask,1,../../etc\n\"{attack}\",1,a\n", encoding="utf-8")
        diagnosis = self.folder / "diagnosis"
        self.copy_without_checksums(self.diagnosis, diagnosis)
        for name in ("effects.csv", "summary.json"):
            text = (diagnosis / name).read_text().replace("conv1", "<img src=x onerror=alert(2)>")
            (diagnosis / name).write_text(text, encoding="utf-8")
        self.report(run, sweep, diagnosis, "--title", attack + "t" * 10000)
        facts, figures = self.look(width=360)
        self.assertFalse(facts["hacked"])
        self.assertEqual(facts["scripts"], 2, "elements that the page did not bring itself")
        self.assertIn(attack, facts["text"])
        self.assertIn("<script>alert(1)<", facts["text"])
        self.assertTrue(facts["title"].startswith(attack))
        self.assertIn("<img src=x onerror=alert(2)>", figures["diagnosis-1-spearman"]["csv"]["text"])
        self.assertIn("../../etc/passwd", figures["configuration"]["csv"]["text"])
        self.assertLessEqual((self.folder / "report.html").stat().st_size, FIVE_MEGABYTES)

    def test_commands_name_the_report(self):
        for output, folder in ((self.sweep_output, "sweep"), (self.diagnose_output, "diagnosis")):
            command = f"firn report {folder} -o {folder}/report.html"
            self.assertTrue(output.endswith(f"Draw it: {command}\n"), output[-300:])
            done = subprocess.run([FIRN, *command.split()[1:]], cwd=self.made.folder, capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_mistakes_get_a_sentence_and_leave_no_page(self):
        (self.folder / "empty").mkdir()
        self.assert_sentence(self.report("empty", code=3), "empty holds no run")
        self.assert_sentence(self.report("missing", code=3), "missing is not a directory")
        shutil.copytree(self.run_folder, self.folder / "run")
        (self.folder / "run/metrics.jsonl").write_text("nonsense\n")
        self.assert_sentence(self.report("run", code=3), "metrics.jsonl is damaged")
        (self.folder / "run/checksums.json").unlink()
        self.assertIn("metrics.jsonl, line 1", self.report("run", code=3).stderr)  # after notes about the checksums
        self.assert_sentence(self.firn("report", self.diagnosis, "-o", "none/r.html", code=3), "none/r.html")
        self.assertFalse((self.folder / "report.html").exists())
        self.assert_sentence(self.firn("watch", "empty", code=3), "empty holds no run")
        self.assert_sentence(self.firn("watch", self.run_folder, "--port", "70000", code=2), "--port")
        self.report(self.run_folder, "--no-circuits")
        self.assertTrue((self.folder / "report.html").exists())


class Watch(Journey):
    def start(self, *command):
        process = subprocess.Popen([FIRN, *map(str, command)], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def train(self, steps, run="run"):
        (self.folder / "base.toml").write_text(BASE.replace("steps = 40", f"steps = {steps}"), encoding="utf-8")
        process = self.start("train", "base.toml", "--out", run, "--threads", 1, "--set", "freeze.start=20")
        metrics = self.folder / run / "metrics.jsonl"
        for _ in range(600):
            if metrics.exists() and metrics.stat().st_size > 0:
                return process
            time.sleep(0.05)
        self.fail("the run has not begun")

    def watch(self, folder="run"):
        process = self.start("watch", folder)
        line = process.stdout.readline()
        return process, int(re.search(r"http://127\.0\.0\.1:(\d+)/", line).group(1))

    def ask(self, port, path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def test_curves_grow_while_a_run_goes_on(self):
        self.train(steps=100000)
        _, port = self.watch()
        facts = browser("watch", f"http://127.0.0.1:{port}/")
        self.assertEqual(facts["errors"], [])
        self.assertNotEqual(facts["first"]["status"], facts["last"]["status"])
        self.assertGreater(facts["last"]["curve"], facts["first"]["curve"])
        for request in facts["requests"]:
            self.assertRegex(request, rf"^http://127\.0\.0\.1:{port}/(data\.json)?$")

    def test_a_sweep_is_a_wall_of_tiles(self):
        (self.folder / "sweep" / "runs").mkdir(parents=True)
        self.train(steps=20, run="sweep/runs/short").wait()
        self.train(steps=100000, run="sweep/runs/long")
        _, port = self.watch("sweep")
        facts = browser("tiles", f"http://127.0.0.1:{port}/")
        self.assertEqual(facts["errors"], [])
        self.assertEqual(len(facts["last"]), 2)
        self.assertNotEqual(facts["first"], facts["last"])
        long, short = facts["last"]  # by their names
        self.assertRegex(long, r"^long.*step [\d,]+ of 100,000$")
        self.assertRegex(short, r"^short.*%done$")

    def test_workers_that_share_a_sweep_are_named(self):
        (self.folder / "base.toml").write_text(BASE.replace("steps = 40", "steps = 100000"), encoding="utf-8")
        (self.folder / "sweep.toml").write_text('base = "base.toml"\n[grid]\nseed = [1, 2]\n', encoding="utf-8")
        workers = [self.start("sweep", "sweep.toml", "--worker", "--out", "sweep", "--jobs", 1, "--threads", 1) for _ in range(2)]
        for _ in range(600):
            if len(list((self.folder / "sweep/attempts/runs").glob("*/metrics.jsonl"))) == 2:
                break
            time.sleep(0.05)
        _, port = self.watch("sweep")
        facts = browser("tiles", f"http://127.0.0.1:{port}/")
        self.assertEqual(facts["errors"], [])
        self.assertEqual([tile[:6] for tile in facts["last"]], ["seed=1", "seed=2"])
        by = {int(re.search(r"by .*-(\d+)-[0-9a-f]{4}$", tile).group(1)) for tile in facts["last"]}
        self.assertEqual(by, {worker.pid for worker in workers})
        self.assertEqual(len(facts["workers"]), 2)
        for row in facts["workers"]:
            self.assertRegex(row, r"seed=\d.*100,000.*alive$")

    def test_nothing_but_the_page_is_served_and_only_to_this_machine(self):
        run = self.train(steps=20)
        run.wait()
        before = {path: path.stat().st_mtime_ns for path in self.folder.rglob("*")}
        process, port = self.watch()
        self.assertEqual(self.ask(port, "/")[0], 200)
        status, data = self.ask(port, "/data.json")
        self.assertEqual((status, json.loads(data)["runs"][0]["name"]), (200, "run"))
        for path in ("/../base.toml", "/%2e%2e/base.toml", "/config.toml", "/run/config.toml", "//etc/passwd", "/last.safetensors"):
            status, body = self.ask(port, path)
            self.assertIn(status, (400, 404), path)
            self.assertNotIn(b"fashion", body)
        for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1:{port + 1}", "localhost", f"[::1]:{port}"):
            self.assertEqual(self.ask(port, "/data.json", Host=host)[0], 403, host)
        self.assertEqual(self.ask(port, "/data.json", Host=f"localhost:{port}")[0], 200)
        for method in ("POST", "PUT", "DELETE"):
            self.assertEqual(self.ask(port, "/", method=method)[0], 405, method)
        self.check_other_interfaces(port)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=20), 0)
        self.assertEqual(before, {path: path.stat().st_mtime_ns for path in self.folder.rglob("*")}, "watching has changed a file")

    def check_other_interfaces(self, port):
        """The socket is bound to 127.0.0.1 and nothing else, and the machine's other addresses are deaf."""
        local = [line.split()[1] for name in ("/proc/net/tcp", "/proc/net/tcp6") if os.path.exists(name)
                 for line in pathlib.Path(name).read_text().splitlines()[1:]
                 if line.split()[3] == "0A" and int(line.split()[1].split(":")[1], 16) == port]
        self.assertEqual(local, [f"0100007F:{port:04X}"])
        for address in {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} | {"127.0.0.2"}:
            if address != "127.0.0.1":
                with self.assertRaises(OSError):
                    socket.create_connection((address, port), timeout=5)


if not (os.path.exists("/usr/bin/chromium") and os.path.isdir(os.path.join(os.environ.get("NODE_PATH", ""), "playwright-core"))):
    print("no browser to look at reports with; scripts/setup --tests installs it")
    sys.exit(77)
main()
