"""Circuits that leave Firn: judged by a C compiler, a Verilog simulator, ABC and yosys, and proved when they come back."""

import csv
import gzip
import re
import subprocess

from journey import Journey, main

CONFIG = """
name = "tree"
[data]
source = "fashion-mnist"
validation = 500
[model]
family = "treelogicnet"
width = 1
[train]
steps = 150
batch = 64
eval_every = 150
"""

TEST_BENCH = """
module bench;
  reg [{inputs}:0] x;
  wire [{outputs}:0] y;
  reg clock = 0;
  reg [{inputs}:0] stimulus [0:{last}];
  integer i, j;
  net dut ({ports}.x(x), .y(y));
  initial begin
    $readmemb("stimulus.txt", stimulus);
    for (i = 0; i <= {last}; i = i + 1) begin
      x = stimulus[i];
      #1;
      for (j = 0; j < {stages}; j = j + 1) begin clock = 1; #1; clock = 0; #1; end
      $display("%b", y);
    end
  end
endmodule
"""

C_MAIN = """
#include <stdio.h>
#include "net.c"
int main(void) {
  static uint64_t x[NET_INPUTS], y[NET_OUTPUTS], work[NET_WORK];
  FILE *f = fopen("stimulus.txt", "r");
  int samples = 0, c;
  long bit = NET_INPUTS - 1;
  while ((c = getc(f)) != EOF) {
    if (c == '\\n') { ++samples; bit = NET_INPUTS - 1; continue; }
    x[bit--] |= (uint64_t)(c == '1') << samples;
  }
  net(x, y, work);
  for (int s = 0; s < samples; ++s) {
    for (int o = NET_OUTPUTS - 1; o >= 0; --o) putchar('0' + (int)(y[o] >> s & 1));
    putchar('\\n');
  }
  return 0;
}
"""

SAMPLES = 40


class Exchange(Journey):
    def setUp(self):
        super().setUp()
        (self.folder / "run.toml").write_text(CONFIG, encoding="utf-8")
        self.firn("train", "run.toml", "--out", "run")
        self.firn("compile", "run/last.safetensors", "-o", "net.firn")

    def tool(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def export(self, form, *options, name="net"):
        ending = {"verilog": "v", "aiger": "aig"}.get(form, form)
        out = self.firn("export", "net.firn", "--format", form, "--name", "net", "-o", f"{name}.{ending}", *options)
        self.assertIn("LUT-6", out.stdout)
        return f"{name}.{ending}"

    def write_images(self):
        """The first test images as the bits of their bytes, x[8 * f + b]; bit 0 is the last character of a line."""
        with gzip.open("/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz") as file:
            pixels = file.read()[16:16 + SAMPLES * 784]
        lines = []
        for s in range(SAMPLES):
            image = pixels[784 * s:784 * (s + 1)]
            lines.append("".join(f"{byte:08b}" for byte in reversed(image)))
        (self.folder / "stimulus.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def run_c(self, *options):
        self.export("c", *options)
        (self.folder / "main.c").write_text(C_MAIN, encoding="utf-8")
        self.tool("gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "main.c", "-o", "main")
        return self.tool("./main")

    def run_verilog(self, inputs, outputs, *options, stages=0):
        self.export("verilog", *options)
        ports = ".clock(clock), " if stages else ""
        bench = TEST_BENCH.format(inputs=inputs - 1, outputs=outputs - 1, last=SAMPLES - 1, ports=ports, stages=stages)
        (self.folder / "bench.v").write_text(bench, encoding="utf-8")
        self.tool("iverilog", "-g2001", "-Wall", "-o", "bench", "bench.v", "net.v")
        return self.tool("./bench")

    def sizes(self, *options):
        lines = self.tool_lines(self.export("aag", *options))
        _, _, inputs, _, outputs, _ = lines[0].split()
        return int(inputs), int(outputs)

    def tool_lines(self, name):
        return (self.folder / name).read_text(encoding="utf-8").splitlines()

    def check_c_and_verilog_agree(self, *parts):
        inputs, outputs = self.sizes(*parts)
        expected = self.run_c(*parts)
        self.assertEqual(len(expected.splitlines()), SAMPLES)
        self.assertEqual(self.run_c("--style", "unrolled", *parts), expected)
        self.assertEqual(self.run_verilog(inputs, outputs, *parts), expected)
        self.assertEqual(self.run_verilog(inputs, outputs, "--pipeline", "3", *parts, stages=3), expected)
        return expected

    def test_c_and_verilog_say_the_same(self):
        self.write_images()
        self.assertGreater(len(set(self.check_c_and_verilog_agree("--with-encoder").splitlines())), 1)

    def test_c_and_verilog_with_encoder_and_head_predict_what_the_engine_predicts(self):
        self.write_images()
        found = [int(line, 2) for line in self.check_c_and_verilog_agree("--with-encoder", "--with-head").splitlines()]
        self.firn("predict", "net.firn", "--numbers", "-o", "engine.csv")
        with open(self.folder / "engine.csv", encoding="utf-8") as file:
            engine = [int(row["prediction"]) for row in csv.DictReader(file)]
        self.assertEqual(found, engine[:SAMPLES])
        self.assertGreater(len(set(found)), 1)

    def test_a_one_hot_head_sets_the_output_of_the_class(self):
        self.write_images()
        number = self.check_c_and_verilog_agree("--with-encoder", "--head", "binary").splitlines()
        one_hot = self.check_c_and_verilog_agree("--with-encoder", "--head", "one-hot").splitlines()
        self.assertEqual([int(line, 2) for line in one_hot], [1 << int(line, 2) for line in number])

    def test_other_tools_read_what_is_written_and_agree(self):
        for parts in ([], ["--with-encoder", "--with-head"]):
            for form in ("aiger", "aag", "blif", "verilog"):
                self.export(form, *parts)
            out = self.tool("berkeley-abc", "-q", "read net.aig; cec net.blif")
            self.assertIn("Networks are equivalent", out)
            for source in ("read_verilog net.v; hierarchy -top net; proc; flatten", "read_blif net.blif; techmap",
                           "read_aiger net.aig", "read_aiger net.aag"):
                self.tool("yosys", "-q", "-p", f"{source}; aigmap; write_aiger -symbols yosys.aig")
                self.assertIn("are equivalent", self.tool("berkeley-abc", "-q", "read net.aig; cec yosys.aig"), source)
                self.assertIn("same function", self.firn("verify", "net.firn", "yosys.aig").stdout, source)

    def test_a_circuit_synthesised_by_yosys_comes_back_and_is_proved(self):
        self.export("verilog")
        self.tool("yosys", "-q", "-p", "read_verilog net.v; synth -flatten -top net; abc -g AND,XOR; write_blif yosys.blif")
        self.firn("import", "yosys.blif", "--model", "net.firn", "-o", "yosys.firn")
        self.assertIn("same function", self.firn("verify", "net.firn", "yosys.firn").stdout)

    def test_a_circuit_optimised_by_abc_comes_back_and_is_proved(self):
        self.export("aiger")
        self.tool("berkeley-abc", "-q", "read net.aig; strash; dc2; dc2; write small.aig")
        self.firn("import", "small.aig", "--model", "net.firn", "-o", "small.firn")
        done = self.firn("verify", "net.firn", "small.firn")
        self.assertIn("The circuits are the same function.", done.stdout)
        self.firn("verify", "run/last.safetensors", "small.aig")
        before = self.firn("predict", "net.firn", "--data", "fashion-mnist", "-o", "a.csv")
        self.firn("predict", "small.firn", "--data", "fashion-mnist", "-o", "b.csv")
        self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes(), before.stdout)

    def test_every_way_of_writing_is_proved(self):
        ways = (["c"], ["c", "--style", "unrolled"], ["verilog"], ["verilog", "--pipeline", "3"], ["blif"], ["aiger"], ["aag"])
        for form, *style in ways:
            for parts, what in (([], "alone"), (["--with-encoder"], "with encoder"), (["--with-head"], "with head"),
                                (["--with-encoder", "--with-head"], "with encoder and head"),
                                (["--head", "one-hot"], "with one-hot head"),
                                (["--with-encoder", "--head", "one-hot"], "with encoder and one-hot head")):
                name = self.export(form, *style, *parts)
                done = self.firn("verify", "run/last.safetensors", name)
                self.assertIn("same function", done.stdout)
                self.assertIn(f"the circuit {what}:", done.stdout)

    def test_the_solver_alone_proves_the_chain(self):
        done = self.firn("verify", "--no-sharing", "run/last.safetensors", "net.firn")
        self.assertIn("same gates  0 outputs", done.stdout)
        self.assertIn("same function", done.stdout)

    def test_a_decision_rebuilt_by_abc_is_proved(self):
        self.export("aiger", "--with-encoder", "--with-head")
        self.tool("berkeley-abc", "-q", "read net.aig; strash; dc2; write small.aig")
        done = self.firn("verify", "net.firn", "small.aig")
        self.assertIn("same function", done.stdout)
        self.assertIn("proved      4 outputs by SAT", done.stdout)

    def test_what_was_only_simulated_is_no_proof(self):
        self.export("aiger", "--with-head")
        self.tool("berkeley-abc", "-q", "read net.aig; strash; dc2; resub; write small.aig")
        done = self.firn("verify", "net.firn", "small.aig", "--effort", "1", code=1)
        self.assertIn("UNCHECKED", done.stdout)
        self.assertNotIn("same function", done.stdout)

    def test_a_changed_file_is_found_and_the_difference_told(self):
        name = self.export("blif")
        lines = self.tool_lines(name)
        rows = [i for i, line in enumerate(lines) if line in ("11 1", "10 1", "01 1", "00 1")]
        lines[rows[-1]] = "11 1" if lines[rows[-1]] != "11 1" else "00 1"
        (self.folder / "changed.blif").write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = self.firn("verify", "net.firn", "changed.blif", "--witness", "witness.txt", code=1)
        self.assertIn("DIFFERENT", done.stdout)
        bits = self.tool_lines("witness.txt")
        self.assertEqual(set(bits) | {"0", "1"}, {"0", "1"})
        again = self.firn("verify", "net.firn", "changed.blif", "--witness", "again.txt", code=1)
        self.assertEqual(done.stdout.replace("witness.txt", "again.txt"), again.stdout)
        self.assertEqual(bits, self.tool_lines("again.txt"))

    def test_circuits_of_other_sizes_are_different(self):
        self.export("aiger")
        self.export("blif", "--with-head")
        self.assertIn("DIFFERENT", self.firn("verify", "net.aig", "net.blif", code=1).stdout)
        (self.folder / "wide.toml").write_text(CONFIG.replace("width = 1", "width = 2"), encoding="utf-8")
        self.firn("train", "wide.toml", "--out", "wide", "--set", "train.steps=2")
        done = self.firn("verify", "net.firn", "wide/last.safetensors", code=1)
        self.assertIn("DIFFERENT", done.stdout)

    def test_code_that_hides_in_a_comment_is_refused(self):
        text = (self.folder / self.export("c")).read_text(encoding="utf-8")
        hidden = text.replace("/*\n", "/*\n*/ #define switch(k) switch((k) ^ 1)\n/*\n", 1)
        (self.folder / "hidden.c").write_text(hidden, encoding="utf-8")
        self.assertIn("switch((run[0]) ^ 1)", self.tool("gcc", "-std=c99", "-E", "hidden.c"))
        self.assert_sentence(self.firn("verify", "net.firn", "hidden.c", code=3), "hidden.c:2", "C that Firn writes")

    def test_files_that_other_tools_refuse_are_refused(self):
        text = (self.folder / self.export("verilog")).read_text(encoding="utf-8")
        (self.folder / "undeclared.v").write_text(re.sub(r"= (~?)x(\d+) ", lambda m: f"= {m[1]}n{int(m[2]) + 1} ", text, count=1),
                                                  encoding="utf-8")
        judge = subprocess.run(["iverilog", "-o", "judge", "undeclared.v"], cwd=self.folder, capture_output=True, check=False)
        self.assertNotEqual(judge.returncode, 0)
        self.assert_sentence(self.firn("verify", "net.firn", "undeclared.v", code=3), "undeclared.v:", "there is no n")
        text = (self.folder / self.export("blif")).read_text(encoding="utf-8")
        (self.folder / "cut.blif").write_text(text.removesuffix(".end\n"), encoding="utf-8")
        judge = subprocess.run(["yosys", "-q", "-p", "read_blif cut.blif"], cwd=self.folder, capture_output=True, check=False)
        self.assertNotEqual(judge.returncode, 0)
        self.assert_sentence(self.firn("verify", "net.firn", "cut.blif", code=3), "cut.blif:", "there is no .end")

    def test_mistakes_get_a_sentence(self):
        (self.folder / "bad.aig").write_bytes(b"aig 3 1 0 1 2\n6\n\x01")
        self.assert_sentence(self.firn("verify", "net.firn", "bad.aig", code=3), "bad.aig")
        (self.folder / "huge.aig").write_bytes(b"aig 67108864 67108864 0 1 0\n2\n")
        self.assert_sentence(self.firn("verify", "huge.aig", "huge.aig", code=3), "promises more than the file holds")
        (self.folder / "foreign.v").write_text("module m(input a, output y);\nassign y = a;\nendmodule\n", encoding="utf-8")
        self.assert_sentence(self.firn("verify", "net.firn", "foreign.v", code=3), "foreign.v:1", "Verilog that Firn writes")
        (self.folder / "other.aag").write_text("aag 1 1 0 1 0\n2\n2\n", encoding="utf-8")
        self.assert_sentence(self.firn("verify", "net.firn", "other.aag", code=3), "1 inputs and 1 outputs")
        self.assert_sentence(self.firn("import", "net.txt", "--model", "net.firn", "-o", "x.firn", code=3), ".aig")
        self.assert_sentence(self.firn("export", "net.firn", "--format", "c", "--pipeline", "2", code=2), "--pipeline")
        both = self.firn("export", "net.firn", "--format", "c", "--with-head", "--head", "one-hot", code=2)
        self.assert_sentence(both, "--head")
        numbers = self.firn("export", "net.firn", "--format", "c", "--with-encoder", "--input", "uint8", "--head", "one-hot", code=3)
        self.assert_sentence(numbers, "one-hot")
        self.assert_sentence(self.firn("export", "run.toml", "--format", "c", code=3), "run.toml")
        with_head = self.export("aiger", "--with-head")
        done = self.firn("import", with_head, "--model", "net.firn", "-o", "x.firn", code=3)
        self.assert_sentence(done, "outputs")
        self.assertFalse((self.folder / "x.firn").exists())


SMALL = """
name = "small"
[data]
source = "parity"
synthetic.inputs = 4
synthetic.examples = 100
[encode]
encoding = "passthrough"
[model]
family = "dense"
width = 8
layers = 1
[train]
steps = 10
batch = 20
eval_every = 10
"""

# Keywords of C23, C++20 and GNU C, alternative tokens, what compilers define or know without a header.
NAMES = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await
co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do double
dynamic_cast else enum explicit export extern false float for friend goto if inline int long main mutable namespace new
noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict return
short signed sizeof static static_assert static_cast std struct switch template this thread_local throw true try typedef
typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq
_Alignas _Alignof _Atomic _BitInt _Bool _Complex _Decimal32 _Generic _Imaginary _Noreturn _Static_assert _Thread_local
__LINE__ __FILE__ __func__ __FUNCTION__ __asm__ __attribute__ __builtin_trap __int128 __x86_64__ _start
linux unix NULL offsetof size_t max_align_t int8_t uint64_t uint_fast8_t intmax_t UINT64_C INT8_C INT64_MAX SIZE_MAX
exit abs abort malloc free index rindex puts printf memcpy strlen fmin fminf signbit sin cosl y0 j1f isalpha bzero ffs alloca
"""


class Names(Journey):
    def judge(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_compilers_accept_every_name(self):
        (self.folder / "run.toml").write_text(SMALL, encoding="utf-8")
        self.firn("train", "run.toml", "--out", "run")
        self.firn("compile", "run/last.safetensors", "-o", "net.firn")
        sources, headers = [], []
        for number, name in enumerate(NAMES.split()):
            self.firn("export", "net.firn", "--format", "c", "--with-encoder", "--with-head", "--name", name, "-o", f"{number}.c")
            sources.append(f"{number}.c")
            headers.append(f"{number}.h")
        warnings = ("-Wall", "-Wextra", "-Werror", "-fsyntax-only")
        for standard in ("c99", "gnu17", "gnu2x"):
            self.judge("gcc", f"-std={standard}", *warnings, *sources)
        for standard in ("c++11", "gnu++20"):
            self.judge("g++", f"-std={standard}", *warnings, "-x", "c++", *headers)

    def test_the_name_of_a_file_is_made_one_of_c(self):
        (self.folder / "run.toml").write_text(SMALL, encoding="utf-8")
        self.firn("train", "run.toml", "--out", "run")
        self.firn("compile", "run/last.safetensors", "-o", "linux.firn")
        self.firn("export", "linux.firn", "--format", "c", "-o", "linux.c")
        self.judge("gcc", "-Wall", "-Wextra", "-Werror", "-c", "linux.c")
        self.assertIn("same function", self.firn("verify", "linux.firn", "linux.c").stdout)


main()
