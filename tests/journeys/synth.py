"""What a circuit costs in hardware: the tools of others judge a small model, and the clock that was asked for is met."""

import json
import os
import re
import signal
import subprocess
import time

from journey import FIRN, Journey, main

CONFIG = """
name = "tiny"
[data]
source = "teacher"
[model]
family = "dense"
width = 24
layers = 3
[train]
steps = 50
"""


class Synth(Journey):
    def setUp(self):
        super().setUp()
        (self.folder / "run.toml").write_text(CONFIG, encoding="utf-8")
        self.firn("train", "run.toml", "--out", "run")
        self.firn("compile", "run/last.safetensors", "-o", "net.firn")

    def test_one_table_with_estimates_versions_and_json(self):
        done = self.firn("synth", "net.firn", "--circuit", "alone,both", "--json", "net.json")
        report = json.loads((self.folder / "net.json").read_text(encoding="utf-8"))
        self.assertEqual([(c["encoder"], c["head"]) for c in report["circuits"]],
                         [(False, False), (True, True)])
        for circuit in report["circuits"]:
            self.assertEqual([t["state"] for t in circuit["targets"]], ["measured"] * 4)
        both = {t["target"]: t["figures"] for t in report["circuits"][1]["targets"]}
        self.assertGreater(both["osu018"]["delay_ns"]["measured"], 0.5)
        self.assertGreater(both["ice40"]["hx8k_ns"]["measured"], 1)
        # What the table shows is what the file has.
        row = next(line for line in done.stdout.splitlines() if line.startswith("in       in"))
        self.assertIn(f"{both['xilinx']['lut6']['measured']:,.0f}", row.split())
        self.assertIn(f"{both['osu018']['delay_ns']['measured']:.2f}", row.split())
        self.assertRegex(done.stdout, r"(?m)^yosys +Yosys \d")
        nand2 = both["osu018"]["nand2"]
        error = re.search(r"(?m)^in +in +osu018 +NAND2 .* ([+-]\d+) %$", done.stdout).group(1)
        self.assertAlmostEqual(int(error), 100 * (nand2["estimated"] / nand2["measured"] - 1), delta=0.51)
        # More gates than the circuit alone are never free.
        alone = {t["target"]: t["figures"] for t in report["circuits"][0]["targets"]}
        self.assertGreater(both["osu018"]["area_um2"]["measured"], alone["osu018"]["area_um2"]["measured"])

    def test_missing_tools_are_named_and_estimates_remain(self):
        done = self.firn("synth", "net.firn", "--circuit", "alone", PATH=str(self.folder))
        for package in ["yosys", "berkeley-abc"]:
            self.assertIn(f"is not installed (Debian package {package})", done.stdout)
        self.assertIn("Our estimates", done.stdout)

    def test_a_clock_chooses_stages_and_the_tools_confirm_it(self):
        done = self.firn("synth", "net.firn", "--target", "osu018", "--circuit", "both", "--clock", "2ns")
        stages, ns = re.search(r"clock, encoder in, head in: (\d+) stages of .*; met: the tools need ([\d.]+) ns",
                               done.stdout).groups()
        self.assertLessEqual(float(ns), 2)
        exported = self.firn("export", "net.firn", "--format", "verilog", "--with-encoder", "--with-head",
                             "--clock", "500MHz", "-o", "net.v")
        self.assertIn(f"Pipeline: {stages} stages of at most", exported.stdout)
        self.assertIn(f"localparam LATENCY = {stages};", (self.folder / "net.v").read_text(encoding="utf-8"))
        self.firn("verify", "net.firn", "net.v")

    def test_delays_that_are_too_hopeful_are_found_out(self):
        (self.folder / "hope.json").write_text(json.dumps({"format": "firn-delays", "tables": [
            {"target": "osu018", "source": "hope", "stages": [{"levels": 1, "ns": 0.01}, {"levels": 2, "ns": 0.011}]}]}),
            encoding="utf-8")
        done = self.firn("synth", "net.firn", "--target", "osu018", "--circuit", "both", "--clock", "0.5ns",
                         "--delays", "hope.json", code=1)
        self.assertRegex(done.stdout, r"MISSED by \d")

    def path_with_endless_yosys(self):
        """A PATH whose yosys never ends and leaves its process number in the file pid."""
        tool = self.folder / "bin" / "yosys"
        tool.parent.mkdir()
        tool.write_text("#!/bin/sh\n[ \"$1\" = -V ] && echo slow && exit\necho $$ >%s/pid\nsleep 300\n" % self.folder,
                        encoding="utf-8")
        tool.chmod(0o755)
        return f"{tool.parent}:{os.environ['PATH']}"

    def test_time_out(self):
        done = self.firn("synth", "net.firn", "--target", "xilinx", "--circuit", "alone", "--timeout", "0.5",
                         PATH=self.path_with_endless_yosys())
        self.assertIn("yosys had not finished", done.stdout)

    def test_an_interruption_leaves_no_tool_and_no_file_behind(self):
        temporary = self.folder / "tmp"
        temporary.mkdir()
        environment = {**os.environ, "PATH": self.path_with_endless_yosys(), "TMPDIR": str(temporary)}
        process = subprocess.Popen([FIRN, "synth", "net.firn", "--target", "xilinx"], cwd=self.folder, env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not (self.folder / "pid").exists() or not (self.folder / "pid").read_text().strip():
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertEqual(list(temporary.iterdir()), [])
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.folder / "pid").read_text()), 0)

    def test_mistakes(self):
        self.assert_sentence(self.firn("synth", code=2), "name a model")
        self.assert_sentence(self.firn("synth", "net.firn", "--clock", "fast", code=2), "is not a clock")
        self.assert_sentence(self.firn("synth", "net.firn", "--clock", "5ns", "--pipeline", "2", code=2), "--pipeline")
        self.assert_sentence(self.firn("synth", "net.firn", "--clock", "0.1ns", code=3), "cannot be met")
        self.assert_sentence(self.firn("synth", "--calibrate", "--target", "xilinx", code=3), "no tool here knows")
        self.assert_sentence(self.firn("export", "net.firn", "--format", "blif", "--clock", "5ns", code=2), "--clock")
        self.assert_sentence(self.firn("export", "net.firn", "--format", "verilog", "--clock", "5ns",
                                       "--clock-target", "xilinx", code=3), "osu018")


main()
