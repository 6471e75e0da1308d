// The header file beside the C: prototypes, sizes, and the names of features and classes.
#include <fmt/format.h>

#include "firn/exchange/formats/c_text.h"

namespace firn::exchange {

namespace {

// A string in C. Bytes outside printable ASCII are octal, which no following digit can extend, and question marks
// are escaped, because two of them may begin a trigraph.
std::string literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?')
      result += fmt::format("\\{}", c);
    else if (c >= ' ' && c <= '~')
      result += c;
    else
      result += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return result + '"';
}

std::string names_text(const std::string& name, std::string_view what, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string text = fmt::format("static const char *const {}_{}_names[{}] = {{\n", name, what, names.size());
  for (const std::string& each : names) text += fmt::format("  {},\n", literal(each));
  return text + "};\n\n";
}

// Rounds down, and what is outside the range becomes the nearest number inside; what is not a number, the lowest.
std::string conversion(const NumberPart& part) {
  const InputFormat& format = part.around.encoder.format;
  const std::size_t half = std::size_t{1} << (format.bits() - 1);
  const std::string lowest = fmt::format("(-{} - 1)", half - 1);
  return fmt::format(
      "/* A number as the functions take it: rounded down; the nearest number of the range where it is outside,\n"
      " * and the lowest where it is not a number. */\n"
      "static inline {0} {1}_fixed(float value) {{\n  const float scaled = value * {2}.0f;\n  int32_t whole;\n"
      "  if (!(scaled >= -{3}.0f)) return {4};\n  if (scaled >= {3}.0f) return {5};\n  whole = (int32_t)scaled;\n"
      "  return ({0})((float)whole > scaled ? whole - 1 : whole);\n}}\n\n",
      feature_type(format), part.name, std::uint64_t{1} << format.fraction, half, lowest, half - 1);
}

// What the result means: one of so many classes, or a count that becomes a value.
std::string result_macros(const Blueprint& blueprint) {
  const std::string macro = macro_name(blueprint.name);
  if (!blueprint.value) return fmt::format("#define {}_CLASSES {}\n", macro, blueprint.classes);
  return fmt::format("#define {0}_OFFSET {1:.9e}f\n#define {0}_FACTOR {2:.9e}f\n", macro, blueprint.value->offset,
                     blueprint.value->factor);
}

std::string sizes_of_numbers(const Blueprint& blueprint, const NumberPart& part) {
  return sizes_of(part) + result_macros(blueprint) +
         fmt::format("#define {}_WORK {}\n\n", macro_name(part.name), part.work());
}

std::string result_comment(const Blueprint& blueprint, const NumberPart& part) {
  const bool counts = part.around.groups > 0;
  const std::string macro = macro_name(blueprint.name);
  if (blueprint.value)
    return fmt::format("How many outputs one sample sets; its value is {0}_OFFSET + {0}_FACTOR * count.", macro);
  return counts ? "How many outputs of each group are set by one sample." : "The number of the class of one sample.";
}

std::string prototypes_of_numbers(const Blueprint& blueprint, const NumberPart& part) {
  return fmt::format("/* {} */\n{};\n/* The same for any number of samples, [sample][feature]. */\n{};\n\n",
                     result_comment(blueprint, part), one_signature(part), many_signature(part)) +
         (part.around.encoder.format.kind == InputFormat::Kind::kFixed ? conversion(part) : "");
}

std::string body_on_bits(const Blueprint& blueprint, const WriteOptions& options) {
  const Netlist& netlist = blueprint.netlist;
  return fmt::format(
      "#define {0}_INPUTS {1}\n#define {0}_OUTPUTS {2}\n{3}#define {0}_WORK {4}\n\n"
      "/* Sample s of 64 is bit s of every word. */\n{5};\n\n",
      macro_name(blueprint.name), netlist.inputs, netlist.outputs.size(), result_macros(blueprint),
      bits_work(netlist, options), bits_signature(blueprint.name));
}

}  // namespace

std::string write_c_header(const Blueprint& blueprint, const WriteOptions& options) {
  std::string body = body_on_bits(blueprint, options);
  if (blueprint.surroundings) {
    const NumberPart part = number_part_of(blueprint, options);
    body = sizes_of_numbers(blueprint, part) + prototypes_of_numbers(blueprint, part);
  }
  std::string lines;
  for (const std::string& line : blueprint.input_notes) lines += "\n * " + line;
  return fmt::format(
      "/* {0}{5} */\n#ifndef {1}_H\n#define {1}_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\n"
      "extern \"C\" {{\n#endif\n\n{2}{3}{4}#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
      blueprint.notes.empty() ? "Logic gate network exported by Firn." : blueprint.notes.front(),
      macro_name(blueprint.name), body, names_text(blueprint.name, "feature", blueprint.feature_names),
      names_text(blueprint.name, "class", blueprint.class_names), lines);
}

}  // namespace firn::exchange
