"""From a table to a C function and a Verilog module that take its features, and back to a proof."""

import csv
import json
import random
import subprocess

from journey import Journey, main

CONFIG = """
[data]
source = "csv"
file = "flowers.csv"
[encode]
thresholds = 4
scope = "feature"
[model]
family = "dense"
width = 60
layers = 2
[train]
steps = 200
batch = 32
eval_every = 200
"""

C_MAIN = """
#include <stdio.h>
#include "flowers.h"
int main(void) {
  static uint64_t work[FLOWERS_WORK];
  float row[FLOWERS_FEATURES];
  while (scanf("%f,%f,%f,%f", row, row + 1, row + 2, row + 3) == 4) puts(flowers_class_names[flowers(row, work)]);
  return 0;
}
"""

BENCH = """
module bench;
  reg [63:0] x;
  wire [1:0] y;
  reg [63:0] rows [0:{last}];
  integer i;
  flowers dut (.x(x), .y(y));
  initial begin
    $readmemh("rows.hex", rows);
    for (i = 0; i <= {last}; i = i + 1) begin
      x = rows[i];
      #1 $display("%0d", y);
    end
  end
endmodule
"""

CLASSES = ["iris */", "rose", "tulip"]


class TableCircuit(Journey):
    def setUp(self):
        super().setUp()
        draw = random.Random(1)
        self.rows = []
        for _ in range(400):
            kind = draw.randrange(3)
            # In sixteenths, so that fixed:8.8 can express every value.
            self.rows.append([round(16 * draw.gauss(kind, 0.7)) / 16, round(16 * draw.gauss(-kind, 0.7)) / 16,
                              draw.choice(["red", "blue"]), CLASSES[kind]])
        with open(self.folder / "flowers.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["petal length", "petal width", "colour", "species"], *self.rows])
        (self.folder / "run.toml").write_text(CONFIG, encoding="utf-8")
        self.firn("train", "run.toml", "--out", "run")
        self.firn("compile", "run/last.safetensors", "-o", "flowers.firn")
        self.firn("predict", "flowers.firn", "flowers.csv", "-o", "engine.csv")
        with open(self.folder / "engine.csv", encoding="utf-8", newline="") as file:
            self.engine = [row["prediction"] for row in csv.DictReader(file)]
        self.assertEqual(len(self.engine), 400)
        self.assertEqual(set(self.engine), set(CLASSES))

    def features(self, row):
        return [row[0], row[1], float(row[2] == "blue"), float(row[2] == "red")]

    def tool(self, *command, stdin=None):
        done = subprocess.run(command, cwd=self.folder, input=stdin, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_a_c_function_takes_the_features_of_the_table(self):
        out = self.firn("export", "flowers.firn", "--format", "c", "--with-encoder", "--with-head").stdout
        self.assertIn("Written: flowers.c and flowers.h", out)
        self.assertIn("Next: firn verify flowers.firn flowers.c", out)
        for file in ("flowers.c", "flowers.h"):
            for name in ("petal length", "colour=blue"):
                self.assertIn(f'"{name}"', (self.folder / file).read_text(encoding="utf-8"))
        (self.folder / "main.c").write_text(C_MAIN, encoding="utf-8")
        self.tool("gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "main.c", "flowers.c", "-o", "main")
        rows = "".join(",".join(map(str, self.features(row))) + "\n" for row in self.rows)
        self.assertEqual(self.tool("./main", stdin=rows).splitlines(), self.engine)
        self.assertIn("same function", self.firn("verify", "run/last.safetensors", "flowers.c").stdout)

    def test_a_verilog_module_takes_fixed_point_features(self):
        self.firn("export", "flowers.firn", "--format", "verilog", "--with-encoder", "--with-head", "--input", "fixed:8.8")
        numbers = [[int(256 * value) % 65536 for value in self.features(row)] for row in self.rows]
        lines = ["".join(f"{number:04x}" for number in reversed(row)) for row in numbers]
        (self.folder / "rows.hex").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (self.folder / "bench.v").write_text(BENCH.format(last=len(lines) - 1), encoding="utf-8")
        self.tool("iverilog", "-g2001", "-Wall", "-o", "bench", "bench.v", "flowers.v")
        self.assertEqual([CLASSES[int(line)] for line in self.tool("./bench").split()], self.engine)
        verify = ["verify", "flowers.firn", "flowers.v"]
        self.assertIn("same function", self.firn(*verify, "--input", "fixed:8.8").stdout)
        self.assertIn("DIFFERENT", self.firn(*verify, "--input", "fixed:7.9", code=1).stdout)
        self.assert_sentence(self.firn(*verify, code=3), "flowers.v", "16 inputs for each of 4 features", "fixed:I.F")

    def test_other_endings_and_pipes(self):
        export = ["export", "flowers.firn", "--format", "c", "--with-encoder", "--with-head", "-o"]
        self.assertNotIn("Next", self.firn(*export, "flowers.x_c").stdout)
        piped = self.firn(*export, "/dev/stdout", "--name", "flowers").stdout
        self.firn(*export, "flowers.c")
        self.assertEqual(piped, (self.folder / "flowers.c").read_text(encoding="utf-8"))

    def test_what_a_format_loses_is_said(self):
        out = self.firn("export", "flowers.firn", "--format", "c", "--with-encoder", "--input", "fixed:2.0").stdout
        self.assertIn("In fixed:2.0, ", out)
        self.assertIn("coincide", out)

    def test_thresholds_are_listed_by_name(self):
        table = self.firn("info", "flowers.firn", "--thresholds").stdout
        listed = json.loads(self.firn("info", "run/last.safetensors", "--thresholds", "--json").stdout)
        self.assertEqual([f["name"] for f in listed["features"]], ["petal length", "petal width", "colour=blue", "colour=red"])
        for feature in listed["features"]:
            self.assertEqual(len(feature["thresholds"]), 4)
            self.assertRegex(table, rf"(?m)^ *{feature['first']}  +{feature['name']}  ")
            self.assertIn(", ".join(f"{value:g}" for value in feature["thresholds"]), table)

        self.assertRegex(table, "(?m)colour=red +1 if set, else 0 ")
        self.assertEqual([f.get("set") for f in listed["features"]], [None, None, 1, 1])

    def test_mistakes_get_a_sentence(self):
        export = ["export", "flowers.firn", "--format", "c"]
        self.assert_sentence(self.firn(*export, "--input", "float32", code=2), "--with-encoder")
        self.assert_sentence(self.firn(*export, "--with-encoder", "--input", "fixed:99.9", code=2), "choose I from 1 and I + F from 2 to 32")
        self.assert_sentence(self.firn(*export, "--with-encoder", "--input", "half", code=2), "float32 or fixed:I.F")
        self.assert_sentence(self.firn(*export, "--with-encoder", "--input", "uint8", code=3), "real numbers")
        self.assert_sentence(self.firn("info", "run.toml", "--thresholds", code=3), "run.toml is a text file")
        self.assert_sentence(self.firn("verify", "flowers.firn", "flowers.firn", "--input", "fixed:8", code=2), "fixed:I.F")
        self.assert_sentence(self.firn("info", "flowers.firn", "--json", code=2), "--thresholds")


main()
