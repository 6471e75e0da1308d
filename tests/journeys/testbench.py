"""Testbenches that come with exported Verilog: they pass under two simulators, and fail when a gate is changed."""

import random
import re
import subprocess

from journey import Journey, main

CONFIG = """
name = "small"
[data]
source = "majority"
[model]
family = "dense"
width = 60
layers = 3
[train]
steps = 40
batch = 32
eval_every = 40
"""

GATE = re.compile(r"  wire \[LANES-1:0\] n(\d+) = (~?)(\w+) ([&^]) (~?)(\w+);")


class Testbench(Journey):
    def setUp(self):
        super().setUp()
        (self.folder / "run.toml").write_text(CONFIG, encoding="utf-8")
        self.firn("train", "run.toml", "--out", "run")
        self.firn("compile", "run/last.safetensors", "-o", "net.firn")

    def export(self, *options, samples=60):
        done = self.firn("export", "net.firn", "--format", "verilog", "-o", "net.v", "--testbench", samples, *options)
        self.assertIn("net.v and net_tb.v", done.stdout)

    def tool(self, *command):
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=200, check=False)

    def simulate(self, lanes=1):
        built = self.tool("iverilog", "-g2001", "-Wall", f"-Pnet_tb.LANES={lanes}", "-o", "bench", "net_tb.v", "net.v")
        self.assertEqual(built.returncode, 0, built.stderr)
        return self.tool("vvp", "bench")

    def verilate(self, *options):
        built = self.tool("verilator", "--binary", *options, "net_tb.v", "net.v")
        self.assertEqual(built.returncode, 0, built.stderr)
        return self.tool("obj_dir/Vnet_tb")

    def assert_passes(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("PASS: 60 samples", done.stdout)

    def assert_fails(self, done):
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn("FAIL: ", done.stdout)
        self.assertNotIn("PASS", done.stdout)

    def outputs(self, text):
        """What the Verilog makes of the stimulus, gate by gate in Python: one integer per output, a bit per sample."""
        bench = (self.folder / "net_tb.v").read_text(encoding="utf-8")
        stimulus = [int(word, 16) for word in re.findall(r"stimulus\[\d+\] = \d+'h([0-9a-f]+);", bench)]
        everything = (1 << len(stimulus)) - 1
        wires = {f"x{i}": sum((word >> i & 1) << s for s, word in enumerate(stimulus))
                 for i in map(int, re.findall(r"wire \[LANES-1:0\] x(\d+) =", text))}
        value = lambda inverted, name: wires[name] ^ (everything if inverted else 0)
        for node, not_a, a, op, not_b, b in GATE.findall(text):
            x, y = value(not_a, a), value(not_b, b)
            wires[f"n{node}"] = x & y if op == "&" else x ^ y
        return [value(inverted, name) if name in wires else name
                for inverted, name in re.findall(r"assign y\[.*\] = (~?)(.+);", text)]

    def test_every_kind_of_circuit_passes(self):
        for parts in ([], ["--with-encoder"], ["--with-head"], ["--with-encoder", "--head", "one-hot"]):
            for style in ([], ["--pipeline", "1"], ["--pipeline", "5"]):
                self.export(*parts, *style)
                for lanes in (1, 7):
                    self.assert_passes(self.simulate(lanes))
            self.export(*parts, "--hierarchy", "layers")
            built = self.tool("iverilog", "-g2001", "-Wall", "-o", "bench", "net_tb.v", "net.v")
            self.assertEqual(built.returncode, 0, built.stderr)
            self.assert_passes(self.tool("vvp", "bench"))

    def test_a_changed_gate_fails_wherever_the_stimulus_shows_it(self):
        chosen = random.Random(1)
        for style in ([], ["--pipeline", "3"]):
            self.export("--with-encoder", "--with-head", *style)
            text = (self.folder / "net.v").read_text(encoding="utf-8")
            gates = [match for match in re.finditer(r" = ~?\w+ ([&^]) ", text)]
            flat = None if style else self.outputs(text)
            seen = 0
            for gate in chosen.sample(gates, 12):
                mutant = text[:gate.start(1)] + ("^" if gate[1] == "&" else "&") + text[gate.end(1):]
                (self.folder / "net.v").write_text(mutant, encoding="utf-8")
                done = self.simulate()
                if style:  # registers are not for the reader above: some must fail, which is counted
                    seen += done.returncode != 0
                    continue
                visible = self.outputs(mutant) != flat
                seen += visible
                self.assert_fails(done) if visible else self.assert_passes(done)
            self.assertGreaterEqual(seen, 6, style)

    def test_verilator_agrees(self):
        self.export("--with-encoder", "--head", "one-hot", "--pipeline", "3")
        self.assert_passes(self.verilate("-GLANES=4"))
        text = (self.folder / "net.v").read_text(encoding="utf-8")
        (self.folder / "net.v").write_text(text.replace("assign y[0*LANES +: LANES] = ", "assign y[0*LANES +: LANES] = ~", 1)
                                           .replace("~~", ""), encoding="utf-8")
        self.assert_fails(self.verilate())

    def stream(self, tool):
        sources = ["net_stream_tb.v", "net_stream.v", "net.v"]
        built = (self.tool("iverilog", "-g2001", "-Wall", "-o", "bench", *sources) if tool == "iverilog"
                 else self.tool("verilator", "--binary", "--top-module", "net_stream_tb", *sources))
        self.assertEqual(built.returncode, 0, built.stderr)
        return self.tool("vvp", "bench") if tool == "iverilog" else self.tool("obj_dir/Vnet_stream_tb")

    def test_a_module_takes_samples_word_by_word(self):
        for width, options in ((1, ["--with-head"]), (8, ["--with-encoder", "--with-head", "--pipeline", "3"]),
                               (500, ["--with-encoder"]), (7, ["--hierarchy", "layers"])):
            done = self.firn("export", "net.firn", "--format", "verilog", "-o", "net.v", "--stream", width, "--testbench", 60,
                             *options)
            self.assertIn("net_stream.v", done.stdout)
            self.assert_passes(self.stream("iverilog"))
        text = (self.folder / "net_stream.v").read_text(encoding="utf-8")
        for wrong in (text.replace("taken == WORDS", "taken == WORDS - 1"), text.replace(">> WIDTH", ">> (WIDTH + 1)")):
            self.assertNotEqual(wrong, text)
            (self.folder / "net_stream.v").write_text(wrong, encoding="utf-8")
            self.assert_fails(self.stream("iverilog"))
        self.firn("export", "net.firn", "--format", "verilog", "-o", "net.v", "--stream", 8, "--testbench", 60, "--with-head",
                  "--pipeline", 4)
        self.assert_passes(self.stream("verilator"))

    def test_modules_of_layers_are_the_flat_circuit(self):
        self.export("--with-encoder", "--with-head", "--hierarchy", "layers")
        done = self.tool("yosys", "-q", "-p", "read_verilog net.v; hierarchy -top net; flatten; aigmap; write_aiger -symbols y.aig")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("same function", self.firn("verify", "net.firn", "y.aig").stdout)

    def test_mistakes_get_a_sentence(self):
        export = ("export", "net.firn", "--format")
        self.assert_sentence(self.firn(*export, "c", "--testbench", "5", code=2), "--testbench")
        self.assert_sentence(self.firn(*export, "c", "--stream", "8", code=2), "--stream")
        self.assert_sentence(self.firn(*export, "blif", "--hierarchy", "layers", code=2), "--hierarchy")
        self.assert_sentence(self.firn(*export, "verilog", "--data", "parity", code=2), "--data")
        self.assert_sentence(self.firn(*export, "verilog", "--hierarchy", "layers", "--pipeline", "2", code=2), "--hierarchy")
        (self.folder / "net_tb.v").write_text("module mine; endmodule\n", encoding="utf-8")
        self.assert_sentence(self.firn(*export, "verilog", "-o", "net.v", "--testbench", "5", code=3), "net_tb.v")
        self.assertFalse((self.folder / "net.v").exists())


main()
