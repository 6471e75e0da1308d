#include "firn/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <set>
#include <sstream>
#include <utility>

#include "firn/base/error.h"

namespace firn::training {

namespace {

constexpr const char *kFormat = "firn checkpoint 1", *kAnyVersion = "firn checkpoint";

std::string class_key(std::size_t c) {
  return fmt::format("class.{}", c);
}

class Saver final : public StateVisitor {
 public:
  explicit Saver(SafetensorsWriter& writer) : writer_(writer) {}
  void visit(const std::string& name, std::span<float> values) override { add(name, values); }
  void visit(const std::string& name, std::span<double> values) override { add(name, values); }
  void visit(const std::string& name, std::span<std::uint8_t> values) override { add(name, values); }
  void visit(const std::string& name, std::span<std::int8_t> values) override { add(name, values); }
  void visit(const std::string& name, std::span<std::uint32_t> values) override { add(name, values); }
  void visit(const std::string& name, std::span<std::uint64_t> values) override { add(name, values); }
  void visit(const std::string& name, Matrix<float>& rows) override {
    names_.insert(name);
    writer_.add(name, std::as_const(rows));
  }
  const std::set<std::string>& names() const { return names_; }

 private:
  template <class T>
  void add(const std::string& name, std::span<T> values) {
    names_.insert(name);
    writer_.add<T>(name, {values.size()}, values);
  }
  SafetensorsWriter& writer_;
  std::set<std::string> names_;
};

class Loader final : public StateVisitor {
 public:
  explicit Loader(const SafetensorsFile& file) : file_(file) {}
  void visit(const std::string& name, std::span<float> values) override { fill(name, values); }
  void visit(const std::string& name, std::span<double> values) override { fill(name, values); }
  void visit(const std::string& name, std::span<std::uint8_t> values) override { fill(name, values); }
  void visit(const std::string& name, std::span<std::int8_t> values) override { fill(name, values); }
  void visit(const std::string& name, std::span<std::uint32_t> values) override { fill(name, values); }
  void visit(const std::string& name, std::span<std::uint64_t> values) override { fill(name, values); }
  void visit(const std::string& name, Matrix<float>& rows) override { file_.read_into(name, rows); }

 private:
  template <class T>
  void fill(const std::string& name, std::span<T> values) {
    const auto stored = file_.tensor<T>(name, {values.size()});
    std::copy(stored.begin(), stored.end(), values.begin());
  }
  const SafetensorsFile& file_;
};

std::uint64_t parse_number(const std::string& text, const std::string& what, const std::string& source) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw Error(fmt::format("{}: the {} \"{}\" is not a number; the file is damaged", source, what, text));
  return value;
}

float parse_float(const std::string& text, const std::string& what, const std::string& source) {
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw Error(fmt::format("{}: the {} \"{}\" is not a number; the file is damaged", source, what, text));
  return value;
}

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace

namespace {

// The writer of a file; header, encoder and state must outlive it.
SafetensorsWriter checkpoint_writer(const CheckpointHeader& header, const Encoder& encoder, const VisitState& visit) {
  SafetensorsWriter writer;
  writer.set_metadata("format", kFormat);
  writer.set_metadata("config", header.config);
  writer.set_metadata("step", std::to_string(header.step));
  writer.set_metadata("outputs", std::to_string(header.outputs));
  writer.set_metadata("hooks", fmt::format("{}", fmt::join(header.hooks, " ")));
  for (std::size_t c = 0; c < header.class_names.size(); ++c) writer.set_metadata(class_key(c), header.class_names[c]);
  if (header.schema) writer.set_metadata("schema", to_json(*header.schema));
  if (header.head) {
    writer.set_metadata("head.factor", fmt::format("{}", header.head->factor));
    writer.set_metadata("head.offset", fmt::format("{}", header.head->offset));
  }
  if (!header.loss.class_weights.empty())
    writer.set_metadata("loss.class_weights", fmt::format("{}", fmt::join(header.loss.class_weights, " ")));
  if (header.loss.predicts_values()) writer.set_metadata("loss.unit", fmt::format("{}", header.loss.unit));
  if (header.data) {
    writer.set_metadata("data.train", header.data->train);
    writer.set_metadata("data.test", header.data->test);
    if (!header.data->teacher.empty()) writer.set_metadata("data.teacher", header.data->teacher);
  }
  const EncoderParts& parts = encoder.parts();
  writer.set_metadata("encoder.encoding", parts.encoding);
  writer.set_metadata("encoder.values", parts.values);
  writer.set_metadata("encoder.shape", fmt::format("{} {} {}", parts.input_shape.channels, parts.input_shape.height,
                                                   parts.input_shape.width));
  writer.add("encoder.thresholds", parts.thresholds);
  Saver saver(writer);
  visit(saver);
  return writer;
}

}  // namespace

void save_checkpoint(const std::filesystem::path& path, const CheckpointHeader& header, const Encoder& encoder,
                     const VisitState& visit) {
  checkpoint_writer(header, encoder, visit).write(path);
}

std::vector<std::byte> checkpoint_bytes(const CheckpointHeader& header, const Encoder& encoder,
                                        const VisitState& visit) {
  return checkpoint_writer(header, encoder, visit).bytes();
}

bool Checkpoint::recognizes(const SafetensorsFile& file) {
  const auto format = file.metadata().find("format");
  return format != file.metadata().end() && format->second.starts_with(kAnyVersion);
}

Checkpoint Checkpoint::parse(SafetensorsFile file) {
  const auto& metadata = file.metadata();
  const auto format = metadata.find("format");
  if (format == metadata.end() || format->second != kFormat)
    throw Error(fmt::format("{} is a safetensors file but not a Firn checkpoint (its format is \"{}\")", file.source(),
                            format == metadata.end() ? "unknown" : format->second));
  CheckpointHeader header;
  header.config = file.metadata("config");
  header.step = parse_number(file.metadata("step"), "step", file.source());
  header.outputs = parse_number(file.metadata("outputs"), "number of outputs", file.source());
  header.hooks = split_words(file.metadata("hooks"));
  for (auto name = metadata.find(class_key(0)); name != metadata.end();
       name = metadata.find(class_key(header.class_names.size())))
    header.class_names.push_back(name->second);
  if (metadata.contains("head.factor"))
    header.head = {parse_float(file.metadata("head.factor"), "factor of the head", file.source()),
                   parse_float(file.metadata("head.offset"), "offset of the head", file.source())};
  if (metadata.contains("loss.class_weights"))
    for (const std::string& word : split_words(file.metadata("loss.class_weights")))
      header.loss.class_weights.push_back(parse_float(word, "weight of a class", file.source()));
  if (metadata.contains("loss.unit"))
    header.loss.unit = parse_float(file.metadata("loss.unit"), "unit of the loss", file.source());
  if (metadata.contains("data.train")) header.data = {file.metadata("data.train"), file.metadata("data.test")};
  if (header.data && metadata.contains("data.teacher")) header.data->teacher = file.metadata("data.teacher");
  const std::size_t classes = header.outputs == 1 ? 2 : header.outputs;
  if (!header.class_names.empty() && header.class_names.size() != classes)
    throw Error(fmt::format("{}: {} names for {} classes; the file is damaged", file.source(),
                            header.class_names.size(), classes));
  if (const auto schema = metadata.find("schema"); schema != metadata.end())
    header.schema = parse_schema(schema->second, file.source());
  if (!header.loss.class_weights.empty() && header.loss.class_weights.size() != classes)
    throw Error(fmt::format("{}: {} weights for {} classes; the file is damaged", file.source(),
                            header.loss.class_weights.size(), classes));
  return Checkpoint(std::move(file), std::move(header));
}

void Checkpoint::save_changed(const std::filesystem::path& path, const VisitState& visit) const {
  SafetensorsWriter writer;
  for (const auto& [key, value] : file_.metadata()) writer.set_metadata(key, value);
  Saver saver(writer);
  visit(saver);
  for (const Tensor& tensor : file_.tensors())
    if (!saver.names().contains(tensor.name)) writer.add(tensor);
  writer.write(path);
}

std::size_t Checkpoint::bytes() const {
  std::size_t bytes = 0;
  for (const Tensor& tensor : file_.tensors()) bytes += tensor.bytes.size();
  return bytes;
}

Encoder Checkpoint::encoder() const {
  EncoderParts parts;
  parts.encoding = file_.metadata("encoder.encoding");
  parts.values = file_.metadata("encoder.values");
  const auto shape = split_words(file_.metadata("encoder.shape"));
  if (shape.size() != 3)
    throw Error(fmt::format("{}: encoder.shape is not three numbers; the file is damaged", source()));
  parts.input_shape = {parse_number(shape[0], "encoder shape", source()),
                       parse_number(shape[1], "encoder shape", source()),
                       parse_number(shape[2], "encoder shape", source())};
  const Tensor& thresholds = file_.tensor("encoder.thresholds");
  if (thresholds.shape.size() != 2)
    throw Error(fmt::format("{}: encoder.thresholds must be two-dimensional; the file is damaged", source()));
  parts.thresholds = Matrix<float>(thresholds.shape[0], thresholds.shape[1]);
  file_.read_into("encoder.thresholds", parts.thresholds);
  try {
    return Encoder::from_parts(std::move(parts));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", source(), error.what()));
  }
}

void Checkpoint::restore(const VisitState& visit) const {
  Loader loader(file_);
  visit(loader);
}

std::optional<HeadScale> head_scale_of(const Model& model) {
  if (model.head().offset == 0 && !model.head().is_value) return std::nullopt;
  return HeadScale{model.head().factor, model.head().offset};
}

void restore_head(const Checkpoint& checkpoint, Model& model) {
  const HeadScale scale = checkpoint.header().head.value_or(HeadScale{model.head().factor, 0});
  Head head = model.head();
  head.factor = scale.factor;
  head.offset = scale.offset;
  head.is_value = checkpoint.header().loss.predicts_values();
  model.set_head(head);
}

void restore_model(const Checkpoint& checkpoint, Model& model) {
  restore_head(checkpoint, model);
  checkpoint.restore([&](StateVisitor& visitor) { model.visit_state(visitor); });
  model.rewire();
}

}  // namespace firn::training
