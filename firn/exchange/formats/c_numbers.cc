// The part of a C file that takes numbers: compares features with limits, runs the function on bits for 64 samples at
// a time, and returns classes or counts. The comparison is the one of the language, so that a float which is not a
// number is above nothing, just as in the encoder, unless missing values of its feature are filled in.
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

#include "firn/exchange/formats/c_text.h"
#include "firn/network/boolean_network.h"

namespace firn::exchange {

namespace {

using NumberKind = InputFormat::Kind;

// Wider than the features, so that a limit may be beyond all of them.
std::string_view limit_type(const InputFormat& format) {
  if (format.kind != NumberKind::kFixed) return feature_type(format);
  return format.bits() <= 16 ? "int32_t" : "int64_t";
}

// Nine digits are enough for any float, and stay so where a compiler rounds twice.
std::string float_text(float value) {
  const std::string text = fmt::format("{:.9g}", value);
  return text + (text.find_first_of(".e") == text.npos ? ".0f" : "f");
}

std::string limit_text(const InputFormat& format, std::int64_t limit) {
  if (format.kind == NumberKind::kFloat) return float_text(std::bit_cast<float>(static_cast<std::uint32_t>(limit)));
  const char* bits = format.bits() <= 16 ? "32" : "64";
  if (limit == Comparators::kAlways) return fmt::format("INT{}_MIN", bits);
  if (limit == Comparators::kNever) return fmt::format("INT{}_MAX", bits);
  return std::to_string(limit);
}

std::string limits_opening(const NumberPart& part) {
  return fmt::format(
      "/* Input i of the circuit is 1 where feature i % {}_FEATURES is above limit i. */\n"
      "static const {} {}_limits[] = {{",
      macro_name(part.name), limit_type(part.around.encoder.format), part.name);
}

std::string fills_opening(const NumberPart& part) {
  return fmt::format(
      "/* What a missing value (NaN) of each feature counts as; the lowest float is above no limit. */\n"
      "static const float {}_fills[] = {{",
      part.name);
}

// The number of sample s that is compared.
std::string value_text(const NumberPart& part) {
  const std::string value = fmt::format("features[s * {} + f]", part.around.encoder.features);
  return part.around.encoder.fills.empty() ? value : fmt::format("({0} != {0} ? {1}_fills[f] : {0})", value, part.name);
}

std::string block_function(const NumberPart& part) {
  return fmt::format(
      "static void {0}_block(const {1} *features, size_t samples, uint64_t *work) {{\n"
      "  uint64_t *x = work, *y = work + {2};\n  uint32_t i, f;\n  size_t s;\n"
      "  for (i = 0, f = 0; i < {2}; ++i, f = f + 1 < {3} ? f + 1 : 0) {{\n    uint64_t word = 0;\n"
      "    for (s = 0; s < samples; ++s) word |= (uint64_t)({6} > {0}_limits[i]) << s;\n"
      "    x[i] = word;\n  }}\n  {0}{4}(x, y, y + {5});\n}}\n\n",
      part.name, feature_type(part.around.encoder.format), part.inputs, part.around.encoder.features, kBitsSuffix,
      part.outputs, value_text(part));
}

// What is done with the outputs of sample s.
std::string result_text(const NumberPart& part) {
  const std::size_t groups = part.around.groups;
  if (groups == 0)
    return fmt::format(
        "      unsigned number = 0;\n"
        "      for (o = 0; o < {}; ++o) number |= (unsigned)(y[o] >> s & 1) << o;\n"
        "      classes[first + s] = number;\n",
        part.outputs);
  return fmt::format(
      "      uint32_t *count = counts + (first + s) * {0};\n      for (o = 0; o < {0}; ++o) count[o] = 0;\n"
      "      for (o = 0; o < {1}; ++o) count[o / {2}] += (uint32_t)(y[o] >> s & 1);\n",
      groups, part.outputs, part.outputs / groups);
}

std::string many_function(const NumberPart& part) {
  return fmt::format(
      "{} {{\n  const uint64_t *y = work + {};\n  size_t first, s;\n  uint32_t o;\n"
      "  for (first = 0; first < samples; first += 64) {{\n"
      "    const size_t block = samples - first < 64 ? samples - first : 64;\n"
      "    {}_block(features + first * {}, block, work);\n    for (s = 0; s < block; ++s) {{\n{}    }}\n  }}\n}}\n\n",
      many_signature(part), part.inputs, part.name, part.around.encoder.features, result_text(part));
}

std::string one_function(const NumberPart& part) {
  if (part.around.groups > 0)
    return fmt::format("{} {{\n  {}_many(features, 1, counts, work);\n}}\n", one_signature(part), part.name);
  return fmt::format("{} {{\n  unsigned number;\n  {}_many(features, 1, &number, work);\n  return number;\n}}\n",
                     one_signature(part), part.name);
}

// The functions, which follow from the sizes.
std::string functions_text(const NumberPart& part) {
  return fmt::format("{};\n{};\n\n", one_signature(part), many_signature(part)) + block_function(part) +
         many_function(part) + one_function(part);
}

constexpr std::size_t kLimitsPerLine = 8;

std::string limits_text(const InputFormat& format, const std::vector<std::int64_t>& limits) {
  std::string text;
  for (std::size_t i = 0; i < limits.size(); ++i)
    text += fmt::format("{}{},", i % kLimitsPerLine == 0 ? "\n  " : " ", limit_text(format, limits[i]));
  return text + std::string(kTableEnd);
}

std::string fills_text(const NumberPart& part) {
  if (part.around.encoder.fills.empty()) return {};
  std::vector<std::int64_t> bits;
  for (const float fill : part.around.encoder.fills) bits.push_back(std::bit_cast<std::uint32_t>(fill));
  return fills_opening(part) + limits_text({NumberKind::kFloat}, bits);
}

std::int64_t read_limit(Scanner& scan, const InputFormat& format) {
  const std::string_view word = scan.until(',');
  std::int64_t limit = 0;
  if (word.ends_with("_MIN") || word.ends_with("_MAX")) {
    limit = word.ends_with("_MIN") ? Comparators::kAlways : Comparators::kNever;
  } else if (format.kind == NumberKind::kFloat) {
    float value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value);
    limit = std::bit_cast<std::uint32_t>(value);
  } else {
    std::from_chars(word.data(), word.data() + word.size(), limit);
  }
  if (limit_text(format, limit) != word)
    scan.fail(fmt::format("\"{}\" is not a limit as it is written", glimpse(word)));
  return limit;
}

// No feature can tell such limits apart from those of the writer, which are within the format.
bool fits(const InputFormat& format, std::int64_t limit) {
  if (format.kind == NumberKind::kByte) return limit >= 0 && limit <= 255;
  if (format.kind == NumberKind::kFloat) return std::isfinite(std::bit_cast<float>(static_cast<std::uint32_t>(limit)));
  const std::int64_t half = std::int64_t{1} << (format.bits() - 1);
  return limit == Comparators::kAlways || limit == Comparators::kNever || (limit >= -half && limit < half - 1);
}

// The rest of a table that should have `count` numbers.
std::vector<std::int64_t> read_limits(Scanner& scan, const InputFormat& format, std::size_t count,
                                      std::string_view what) {
  std::vector<std::int64_t> limits;
  while (!scan.accept(kTableEnd)) {
    scan.expect(limits.size() % kLimitsPerLine == 0 ? "\n  " : " ");
    limits.push_back(read_limit(scan, format));
    scan.expect(",");
    if (!fits(format, limits.back())) scan.fail("a limit is beyond the format of the features");
    if (limits.size() > count) scan.fail(fmt::format("there are more {}", what));
  }
  if (limits.size() != count) scan.fail(fmt::format("there are fewer {}", what));
  return limits;
}

InputFormat read_format(Scanner& scan, const std::string& macro) {
  if (!scan.accept(fmt::format("#define {}_INTEGER_BITS ", macro))) return {};
  InputFormat format{NumberKind::kFixed};
  format.integer = scan.number(33);
  scan.expect(fmt::format("\n#define {}_FRACTION_BITS ", macro));
  format.fraction = scan.number(33);
  scan.expect("\n");
  if (format.integer < 1 || format.bits() < 2 || format.bits() > 32) scan.fail("a number has 2 to 32 bits");
  return format;
}

}  // namespace

std::string_view feature_type(const InputFormat& format) {
  if (format.kind == NumberKind::kByte) return "uint8_t";
  if (format.kind == NumberKind::kFloat) return "float";
  return format.bits() <= 8 ? "int8_t" : format.bits() <= 16 ? "int16_t" : "int32_t";
}

std::string sizes_of(const NumberPart& part) {
  const std::string macro = macro_name(part.name);
  std::string text = fmt::format("#define {}_FEATURES {}\n", macro, part.around.encoder.features);
  const InputFormat& format = part.around.encoder.format;
  if (format.kind == NumberKind::kFixed)
    text += fmt::format("#define {0}_INTEGER_BITS {1}\n#define {0}_FRACTION_BITS {2}\n", macro, format.integer,
                        format.fraction);
  if (part.around.groups > 0) text += fmt::format("#define {}_GROUPS {}\n", macro, part.around.groups);
  return text;
}

std::string many_signature(const NumberPart& part) {
  return fmt::format("void {}_many(const {} *features, size_t samples, {}, uint64_t *work)", part.name,
                     feature_type(part.around.encoder.format),
                     part.around.groups == 0 ? "unsigned *classes" : "uint32_t *counts");
}

std::string one_signature(const NumberPart& part) {
  const std::string_view type = feature_type(part.around.encoder.format);
  if (part.around.groups > 0)
    return fmt::format("void {}(const {} *features, uint32_t *counts, uint64_t *work)", part.name, type);
  return fmt::format("unsigned {}(const {} *features, uint64_t *work)", part.name, type);
}

std::string usage_of(const NumberPart& part) {
  const std::string macro = macro_name(part.name);
  const bool counts = part.around.groups > 0;
  return fmt::format(
      " * Memory for intermediate results comes from the caller; {0}_many() takes any number of samples, "
      "[sample][feature].\n"
      " *   {1} features[{2}_FEATURES];\n *   uint64_t work[{2}_WORK];\n{3}",
      part.name, feature_type(part.around.encoder.format), macro,
      counts ? fmt::format(" *   uint32_t counts[{}_GROUPS];\n *   {}(features, counts, work);\n", macro, part.name)
             : fmt::format(" *   unsigned class_number = {}(features, work);\n", part.name));
}

std::string number_part(const NumberPart& part) {
  const Comparators& encoder = part.around.encoder;
  return fmt::format("#include <stddef.h>\n\n{}#define {}_WORK {}\n\n", sizes_of(part), macro_name(part.name),
                     part.work()) +
         limits_opening(part) + limits_text(encoder.format, encoder.limits) + fills_text(part) + functions_text(part);
}

Surroundings read_number_part(Scanner& scan, NumberPart part) {
  Comparators& encoder = part.around.encoder;
  const std::string macro = macro_name(part.name);
  scan.check_name(part.name);
  scan.expect(fmt::format("#include <stddef.h>\n\n#define {}_FEATURES ", macro));
  encoder.features = scan.number(kMaxFeatures + 1);
  scan.expect("\n");
  if (encoder.features == 0 || part.inputs % encoder.features != 0)
    scan.fail(fmt::format("{} inputs are not the same number for each of {} features", part.inputs, encoder.features));
  encoder.format = read_format(scan, macro);
  if (scan.accept(fmt::format("#define {}_GROUPS ", macro))) {
    part.around.groups = scan.number(part.outputs + 1);
    scan.expect("\n");
    if (part.around.groups == 0 || part.outputs % part.around.groups != 0)
      scan.fail("the groups are not of equal size");
  } else if (part.outputs > 32) {
    scan.fail("the number of a class has 32 bits at most");
  }
  scan.expect(fmt::format("#define {}_WORK {}\n\n", macro, part.work()));
  if (encoder.format.kind != NumberKind::kFixed && !scan.sees(limits_opening(part)))
    encoder.format.kind = NumberKind::kFloat;
  scan.expect(limits_opening(part));
  encoder.limits = read_limits(scan, encoder.format, part.inputs, "limits than inputs");
  if (encoder.format.kind == NumberKind::kFloat && scan.accept(fills_opening(part)))
    for (const std::int64_t bits : read_limits(scan, encoder.format, encoder.features, "fills than features"))
      encoder.fills.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  scan.expect(functions_text(part));
  return part.around;
}

}  // namespace firn::exchange
