// Circuits that take numbers, judged by a C compiler and a Verilog simulator: they must predict what the engine
// predicts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <sstream>

#include "firn/base/file.h"
#include "firn/base/process.h"
#include "firn/infer/predictor.h"
#include "firn/prove/equivalence.h"
#include "firn/study/export_circuit.h"
#include "tests/support/expect_error.h"
#include "tests/support/export_to.h"
#include "tests/support/models_on_reals.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Every threshold of every feature and its neighbours, what is not finite or not a number, both zeros, and random
// values.
Matrix<float> difficult_rows(const CircuitModel& model, std::size_t count) {
  RandomSequence random(5, "test/rows");
  Matrix<float> rows(count, kFeatures);
  for (std::size_t s = 0; s < count; ++s)
    for (std::size_t f = 0; f < kFeatures; ++f) {
      const float threshold = model.encoder.thresholds()[random.below(kThresholds)][f];
      const float choices[] = {threshold,
                               std::nextafter(threshold, kInfinity),
                               std::nextafter(threshold, -kInfinity),
                               kInfinity,
                               -kInfinity,
                               std::nanf(""),
                               -0.f,
                               0.f,
                               6 * random.uniform() - 3,
                               2000 * random.uniform() - 1000};
      rows[s][f] = choices[random.below(std::size(choices))];
    }
  return rows;
}

// Numbers of the format, of which many are next to a limit.
Matrix<float> fixed_rows(const CircuitModel& model, const InputFormat& format, std::size_t count) {
  const Comparators comparators = comparators_of(model.encoder, format);
  const std::int64_t half = std::int64_t{1} << (format.bits() - 1);
  RandomSequence random(6, "test/rows");
  Matrix<float> rows(count, kFeatures);
  for (std::size_t s = 0; s < count; ++s)
    for (std::size_t f = 0; f < kFeatures; ++f) {
      const std::int64_t limit = comparators.limits[random.below(kThresholds) * kFeatures + f];
      std::int64_t number = random.below(static_cast<std::uint32_t>(2 * half)) - half;
      if (limit > -half && limit < half - 1 && random.below(2) == 0) number = limit + random.below(3) - 1;
      if (random.below(10) == 0) number = random.below(2) == 0 ? -half : half - 1;
      rows[s][f] = std::ldexp(static_cast<float>(number), -static_cast<int>(format.fraction));
    }
  return rows;
}

struct Predicted {
  std::vector<std::uint16_t> classes;
  Matrix<std::uint32_t> counts;
};

Predicted predict(const CircuitModel& model, const Matrix<float>& rows) {
  Threads threads(1);
  const auto machine = make_machine(model);
  Examples examples;
  examples.reals = Matrix<float>(rows);
  Predicted found{std::vector<std::uint16_t>(rows.rows()),
                  Matrix<std::uint32_t>(rows.rows(), model.network.head.groups)};
  Predictor(model, *machine, threads).predict(examples, 0, found.classes, &found.counts);
  return found;
}

void must_run(const TemporaryFolder& folder, const std::vector<std::string>& command) {
  const auto done = run_program(command, folder.path());
  ASSERT_EQ(done.exit_code, 0) << fmt::format("{}\n{}", fmt::join(command, " "), done.output);
}

// Reads rows of floats, turns them into what the functions take, and prints classes or counts; one row at a time first,
// then all together.
constexpr const char* kProgram = R"(
#include <stdio.h>
#include "net.h"
int main(void) {
  static float row[NET_FEATURES];
  static NUMBER features[MOST * NET_FEATURES];
  static uint64_t work[NET_WORK];
  static RESULT one[WIDTH], many[MOST * WIDTH];
  size_t rows = 0, i;
  FILE *file = fopen("rows.bin", "rb");
  while (fread(row, sizeof row, 1, file) == 1) {
    for (i = 0; i < NET_FEATURES; ++i) features[rows * NET_FEATURES + i] = CONVERT(row[i]);
    ++rows;
  }
  net_many(features, rows, many, work);
  for (i = 0; i < rows * WIDTH; ++i) {
    if (i % WIDTH == 0) ONE(features + i / WIDTH * NET_FEATURES);
    if (one[i % WIDTH] != many[i]) return 1;
    printf("%u\n", (unsigned)many[i]);
  }
  return 0;
}
)";

std::vector<std::uint32_t> run_c(const TemporaryFolder& folder, const Matrix<float>& rows, const std::string& number,
                                 bool head, std::size_t groups, bool fixed) {
  std::string bytes;
  for (std::size_t s = 0; s < rows.rows(); ++s)
    bytes.append(reinterpret_cast<const char*>(rows.row(s)), rows.cols() * sizeof(float));
  write_file((folder / "rows.bin").string(), bytes);
  const std::string source = fmt::format(
      "#define NUMBER {}\n#define MOST {}\n#define WIDTH {}\n#define RESULT {}\n#define CONVERT {}\n{}{}", number,
      rows.rows(), head ? 1 : groups, head ? "unsigned" : "uint32_t", fixed ? "net_fixed" : "(float)",
      head ? "#define ONE(f) one[0] = net(f, work)\n" : "#define ONE(f) net(f, one, work)\n", kProgram);
  for (const char* name : {"main.c", "main.cc"}) write_file((folder / name).string(), source);
  const std::vector<std::string> strict = {"-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"};
  const auto compile = [&](std::vector<std::string> command, const std::vector<std::string>& rest) {
    command.insert(command.end(), strict.begin(), strict.end());
    command.insert(command.end(), rest.begin(), rest.end());
    must_run(folder, command);
  };
  compile({"gcc", "-std=c99", "-Wmissing-prototypes"}, {"-include", "net.h", "-c", "net.c", "-o", "net.o"});
  compile({"gcc", "-std=c99"}, {"main.c", "net.o", "-o", "main"});
  compile({"g++", "-std=c++11"}, {"main.cc", "net.o", "-o", "main-cpp"});
  const auto done = run_program({"./main"}, folder.path());
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(run_program({"./main-cpp"}, folder.path()).output, done.output);
  std::vector<std::uint32_t> found;
  std::istringstream lines(done.output);
  for (std::uint32_t value = 0; lines >> value;) found.push_back(value);
  return found;
}

std::vector<std::uint32_t> expected_of(const Predicted& predicted, bool head) {
  if (head) return {predicted.classes.begin(), predicted.classes.end()};
  std::vector<std::uint32_t> all;
  for (std::size_t s = 0; s < predicted.counts.rows(); ++s)
    all.insert(all.end(), predicted.counts[s].begin(), predicted.counts[s].end());
  return all;
}

HeadForm form_of(bool head) {
  return head ? HeadForm::kBinary : HeadForm::kNone;
}

TEST(ExportNumbersTest, TheCFunctionPredictsWhatTheEnginePredicts) {
  for (const std::size_t groups : {1u, 3u})
    for (const bool head : {false, true})
      for (const bool unrolled : {false, true}) {
        const CircuitModel model = model_on_reals(groups);
        const TemporaryFolder folder;
        export_to(folder, model, "net.c", {"net", "a model", true, form_of(head), {}, {.unrolled = unrolled}});
        const Matrix<float> rows = difficult_rows(model, 3001);
        const Predicted predicted = predict(model, rows);
        EXPECT_EQ(run_c(folder, rows, "float", head, groups, false), expected_of(predicted, head));
      }
}

TEST(ExportNumbersTest, FixedPointPredictsWhatTheEnginePredictsForEveryNumberOfTheFormat) {
  const std::pair<const char*, const char*> formats[] = {{"fixed:8.8", "int16_t"},
                                                         {"fixed:12.4", "int16_t"},
                                                         {"fixed:9.3", "int16_t"},
                                                         {"fixed:4.4", "int8_t"},
                                                         {"fixed:10.14", "int32_t"}};
  for (const auto& [name, type] : formats)
    for (const bool head : {false, true}) {
      const CircuitModel model = model_on_reals(3);
      const TemporaryFolder folder;
      const InputFormat format = parse_input_format(name);
      export_to(folder, model, "net.c", {"net", "a model", true, form_of(head), format});
      const Matrix<float> rows = fixed_rows(model, format, 3001);
      const Predicted predicted = predict(model, rows);
      EXPECT_EQ(run_c(folder, rows, type, head, 3, true), expected_of(predicted, head)) << name;
    }
}

// The nearest number of the format that is not above the value, as the header converts.
float in_format(float value, const InputFormat& format) {
  const double half = std::ldexp(1.0, static_cast<int>(format.bits()) - 1);
  double number = std::floor(std::ldexp(static_cast<double>(value), static_cast<int>(format.fraction)));
  if (!(number >= -half)) number = -half;  // what is not a number as well
  if (number > half - 1) number = half - 1;
  return static_cast<float>(std::ldexp(number, -static_cast<int>(format.fraction)));
}

TEST(ExportNumbersTest, OtherValuesAreRoundedDownAndSaturate) {
  for (const char* name : {"fixed:8.8", "fixed:3.5", "fixed:6.18"}) {
    const CircuitModel model = model_on_reals(3);
    const TemporaryFolder folder;
    const InputFormat format = parse_input_format(name);
    export_to(folder, model, "net.c", {"net", "a model", true, HeadForm::kBinary, format});
    const Matrix<float> rows = difficult_rows(model, 2000);
    Matrix<float> rounded(rows.rows(), rows.cols());
    for (std::size_t s = 0; s < rows.rows(); ++s)
      for (std::size_t f = 0; f < kFeatures; ++f) rounded[s][f] = in_format(rows[s][f], format);
    const char* type = format.bits() <= 8 ? "int8_t" : format.bits() <= 16 ? "int16_t" : "int32_t";
    EXPECT_EQ(run_c(folder, rows, type, true, 3, true), expected_of(predict(model, rounded), true)) << name;
  }
}

constexpr const char* kBench = R"(
module bench;
  reg [{0}:0] x;
  wire [1:0] y;
  reg [{0}:0] stimulus [0:{1}];
  integer i;
  net dut (.x(x), .y(y));
  initial begin
    $readmemb("stimulus.txt", stimulus);
    for (i = 0; i <= {1}; i = i + 1) begin
      x = stimulus[i];
      #1 $display("%0d", y);
    end
  end
endmodule
)";

TEST(ExportNumbersTest, TheVerilogModulePredictsWhatTheEnginePredicts) {
  for (const char* name : {"fixed:8.8", "fixed:5.2", "float32"}) {
    const CircuitModel model = model_on_reals(3);
    const TemporaryFolder folder;
    const InputFormat format = parse_input_format(name);
    const bool fixed = format.kind == InputFormat::Kind::kFixed;
    export_to(folder, model, "net.v", {"net", "a model", true, HeadForm::kBinary, format});
    const Matrix<float> rows = fixed ? fixed_rows(model, format, 2000) : difficult_rows(model, 2000);
    std::string stimulus;
    for (std::size_t s = 0; s < rows.rows(); ++s, stimulus += '\n')
      for (std::size_t f = kFeatures; f-- > 0;)
        for (std::size_t b = format.bits(); b-- > 0;) {
          const std::uint32_t bits =
              fixed ? static_cast<std::uint32_t>(std::lround(std::ldexp(rows[s][f], static_cast<int>(format.fraction))))
                    : std::bit_cast<std::uint32_t>(rows[s][f]);
          stimulus += static_cast<char>('0' + (bits >> b & 1));
        }
    write_file((folder / "stimulus.txt").string(), stimulus);
    write_file((folder / "bench.v").string(),
               fmt::format(fmt::runtime(kBench), format.bits() * kFeatures - 1, rows.rows() - 1));
    must_run(folder, {"iverilog", "-g2001", "-Wall", "-o", "bench", "bench.v", "net.v"});
    std::string expected;
    for (const std::uint16_t c : predict(model, rows).classes) expected += fmt::format("{}\n", c);
    expected.pop_back();
    EXPECT_EQ(run_program({"./bench"}, folder.path()).output, expected) << name;
  }
}

TEST(ExportNumbersTest, EveryFormatIsProved) {
  const CircuitModel model = model_on_reals(3);
  const CircuitSource source{"model", model, {}};
  const TemporaryFolder folder;
  for (const char* name : {"float32", "fixed:8.8", "fixed:4.4"})
    for (const char* file : {"net.c", "net.v", "net.blif", "net.aig"})
      for (const bool head : {false, true}) {
        const InputFormat format = parse_input_format(name);
        export_to(folder, model, file, {"net", "a model", true, form_of(head), format});
        const CircuitSource back = load_circuit((folder / file).string());
        const auto pairs = comparisons_of(source, back, format);
        ASSERT_EQ(pairs.size(), 1u);
        EXPECT_TRUE(check_equivalence(pairs[0].first, pairs[0].second).proved()) << name << " " << file;
        EXPECT_THAT(pairs[0].what, HasSubstr(name));
      }
}

TEST(ExportNumbersTest, MissingValuesAreFilledInAsTheModelDoes) {
  const CircuitModel model = filled_model();
  const TemporaryFolder folder;
  const Matrix<float> rows = difficult_rows(model, 3001);
  Matrix<float> filled(rows.rows(), rows.cols());
  for (std::size_t s = 0; s < rows.rows(); ++s)
    for (std::size_t f = 0; f < kFeatures; ++f) {
      const auto& fill = model.schema->columns[f].fill;
      filled[s][f] = std::isnan(rows[s][f]) && fill ? static_cast<float>(*fill) : rows[s][f];
    }
  ASSERT_NE(predict(model, rows).classes, predict(model, filled).classes);
  for (const bool head : {false, true}) {
    export_to(folder, model, "net.c", {"net", "a model", true, form_of(head), {}});
    EXPECT_EQ(run_c(folder, rows, "float", head, 3, false), expected_of(predict(model, filled), head));
  }
  for (const char* file : {"net.c", "net.v", "net.aig"}) {
    export_to(folder, model, file, {"net", "a model", true, HeadForm::kBinary, {}});
    const CircuitSource back = load_circuit((folder / file).string());
    const auto same = comparisons_of({"model", model, {}}, back);
    EXPECT_TRUE(check_equivalence(same.at(0).first, same.at(0).second).proved()) << file;
    const auto other = comparisons_of({"model", model_on_reals(3), {}}, back);
    EXPECT_TRUE(check_equivalence(other.at(0).first, other.at(0).second).difference.has_value()) << file;
  }
}

TEST(ExportNumbersTest, AChangedThresholdIsFound) {
  const CircuitModel model = model_on_reals(3);
  const TemporaryFolder folder;
  export_to(folder, model, "net.c", {"net", "a model", true, HeadForm::kBinary, {}});
  std::string text = read_text((folder / "net.c").string());
  const std::size_t at = text.find("17.75f");
  ASSERT_NE(at, text.npos);
  write_file((folder / "net.c").string(), text.replace(at, 6, "17.5f"));
  const auto pairs = comparisons_of({"model", model, {}}, load_circuit((folder / "net.c").string()));
  EXPECT_TRUE(check_equivalence(pairs.at(0).first, pairs.at(0).second).difference.has_value());
}

TEST(ExportNumbersTest, TwoFilesMustTakeAndCountTheSameWay) {
  const TemporaryFolder folder;
  export_to(folder, model_on_reals(3), "net.c",
            {"net", "a model", true, HeadForm::kNone, parse_input_format("fixed:4.4")});
  const CircuitSource c = load_circuit((folder / "net.c").string());
  EXPECT_EQ(comparisons_of(c, c).size(), 1u);
  CircuitSource other = c;
  other.circuit->surroundings->groups = 1;
  EXPECT_THAT(error_of([&] { comparisons_of(c, other); }), HasSubstr("in 3 groups"));
  other = c;
  other.circuit->surroundings->encoder.format = parse_input_format("fixed:5.3");
  EXPECT_THAT(error_of([&] { comparisons_of(c, other); }), HasSubstr("fixed:5.3"));
}

TEST(ExportNumbersTest, WhatDoesNotFitGetsASentence) {
  const CircuitModel model = model_on_reals(3);
  const TemporaryFolder folder;
  const InputFormat fixed = parse_input_format("fixed:8.8");
  export_to(folder, model, "net.v", {"net", "a model", true, HeadForm::kBinary, fixed});
  export_to(folder, model, "net.c", {"net", "a model", true, HeadForm::kBinary, fixed});
  const CircuitSource source{"model", model, {}};
  const CircuitSource verilog = load_circuit((folder / "net.v").string()),
                      c = load_circuit((folder / "net.c").string());
  EXPECT_THAT(error_of([&] { comparisons_of(source, verilog); }), HasSubstr("16 inputs for each of 5 features"));
  EXPECT_EQ(comparisons_of(source, c).size(), 1u);  // which says itself what it takes
  EXPECT_THAT(error_of([&] { comparisons_of(source, c, parse_input_format("float32")); }), HasSubstr("not float32"));
  EXPECT_THAT(error_of([&] { import_circuit((folder / "net.c").string(), model); }), HasSubstr("takes numbers"));
  const FormatEntry& aiger = find_format("aiger");
  EXPECT_THAT(error_of([&] {
                export_circuit(model, aiger, {"net", "a model", false, HeadForm::kBinary, fixed});
              }),
              HasSubstr("takes bits"));
  EXPECT_THAT(error_of([&] {
                export_circuit(model, aiger, {"net", "a model", true, HeadForm::kBinary, parse_input_format("uint8")});
              }),
              HasSubstr("real numbers"));
  EXPECT_THAT(error_of([&] { write_export((folder / "net.h").string(), {"a", "b"}); }), HasSubstr("another ending"));
}

}  // namespace
}  // namespace firn
