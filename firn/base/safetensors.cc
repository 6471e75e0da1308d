#include "firn/base/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "firn/base/checksum.h"
#include "firn/base/error.h"
#include "firn/base/file.h"

namespace firn {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxHeaderBytes = 100'000'000;  // the limit of the format's own reader
constexpr std::string_view kMetadata = "__metadata__";
// The checksum of the header is computed with zeros in its own place. There are two entries so that no single flipped
// bit can make a file look like one that was written without checksums.
constexpr std::string_view kHeaderChecksum = "checksum.header", kTensorChecksums = "checksum.tensors";

struct DTypeFacts {
  DType dtype;
  std::string_view name;
  std::size_t bytes;
};

constexpr std::array<DTypeFacts, 13> kDTypes = {{
    {DType::kBool, "BOOL", 1},
    {DType::kU8, "U8", 1},
    {DType::kI8, "I8", 1},
    {DType::kU16, "U16", 2},
    {DType::kI16, "I16", 2},
    {DType::kF16, "F16", 2},
    {DType::kBF16, "BF16", 2},
    {DType::kU32, "U32", 4},
    {DType::kI32, "I32", 4},
    {DType::kF32, "F32", 4},
    {DType::kU64, "U64", 8},
    {DType::kI64, "I64", 8},
    {DType::kF64, "F64", 8},
}};

constexpr bool rows_stand_at_their_dtype() {
  for (std::size_t i = 0; i < kDTypes.size(); ++i)
    if (static_cast<std::size_t>(kDTypes[i].dtype) != i) return false;
  return true;
}
static_assert(rows_stand_at_their_dtype());

// Nothing when the product does not fit.
std::optional<std::size_t> byte_count(DType dtype, const Dimensions& shape) {
  std::size_t bytes = bytes_per(dtype);
  for (std::size_t size : shape)
    if (__builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
  return bytes;
}

std::string format_shape(const Dimensions& shape) {
  return fmt::format("[{}]", fmt::join(shape, "]["));
}

[[noreturn]] void refuse(const std::string& source, const std::string& part) {
  throw Error(fmt::format("{} is not a sound safetensors file: {}; copy or create it again", source, part));
}

// Where the digits of the header's checksum stand in the header: a key cannot occur inside a value, whose quotes are
// escaped. npos: nowhere.
std::size_t find_header_digits(std::string_view header) {
  return find_own_digits(header, fmt::format("\"{}\":\"", kHeaderChecksum));
}

// Turns the header into tensors and metadata; every complaint names the file and the part.
class HeaderReader {
 public:
  HeaderReader(const std::string& source, std::span<const std::byte> data) : source_(source), data_(data) {}

  void read(std::string_view text) {
    const Json header = parse(text);
    if (!header.is_object()) refuse(source_, "its header is not a JSON object");
    for (const auto& [key, value] : header.items()) {
      if (key == kMetadata) {
        read_metadata(value);
      } else {
        read_tensor(key, value);
      }
    }
    check_that_tensors_tile_the_data();
    take_checksums(text);
  }

  std::vector<Tensor> tensors;
  std::map<std::string, std::string> metadata;
  bool has_checksums = false;

 private:
  // Plain parsing would keep the last of two equal keys, and could be made to nest without end.
  Json parse(std::string_view text) const {
    std::vector<std::set<std::string>> keys;
    const auto inspect = [&](int, Json::parse_event_t event, Json& value) {
      using Event = Json::parse_event_t;
      if (event == Event::object_start || event == Event::array_start) keys.emplace_back();
      if (event == Event::object_end || event == Event::array_end) keys.pop_back();
      if (keys.size() > 3) refuse(source_, "its header nests too deeply");
      if (event == Event::key && !keys.back().insert(value.get<std::string>()).second)
        refuse(source_, fmt::format("its header has the name '{}' twice", value.get<std::string>()));
      return true;
    };
    try {
      return Json::parse(text, inspect);
    } catch (const Json::parse_error& error) {
      refuse(source_, fmt::format("its header is not JSON (near byte {} of the header)", error.byte));
    } catch (const Json::out_of_range&) {
      refuse(source_, "its header holds a number that is too large");
    }
  }

  void read_metadata(const Json& value) {
    if (!value.is_object()) refuse(source_, "its metadata is not a map of strings");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) refuse(source_, fmt::format("its metadata '{}' is not a string", key));
      metadata.emplace(key, text.get<std::string>());
    }
  }

  void read_tensor(const std::string& name, const Json& value) {
    const auto complain = [&](const std::string& part) { refuse(source_, fmt::format("tensor '{}' {}", name, part)); };
    if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
        !value.contains("data_offsets"))
      complain("is not described by dtype, shape and data_offsets");

    const auto shape = sizes(value["shape"]);
    if (!shape) complain("has a shape that is not a list of sizes");
    const std::string type = value["dtype"].is_string() ? value["dtype"].get<std::string>() : value["dtype"].dump();
    const auto facts = std::find_if(kDTypes.begin(), kDTypes.end(), [&](const auto& f) { return f.name == type; });
    if (facts == kDTypes.end()) complain(fmt::format("has the unknown dtype '{}'", type));

    const auto offsets = sizes(value["data_offsets"]);
    if (!offsets || offsets->size() != 2) complain("has data_offsets that are not two positions");
    const std::size_t begin = (*offsets)[0], end = (*offsets)[1];
    if (begin > end || end > data_.size())
      complain(fmt::format("lies at bytes {} to {} of only {}", begin, end, data_.size()));
    if (byte_count(facts->dtype, *shape) != end - begin)
      complain(fmt::format("has {} bytes, which is not {} of {}", end - begin, type, format_shape(*shape)));
    tensors.push_back({name, facts->dtype, *shape, data_.subspan(begin, end - begin)});
  }

  static std::optional<Dimensions> sizes(const Json& value) {
    if (!value.is_array()) return std::nullopt;
    Dimensions result;
    for (const Json& size : value) {
      if (!size.is_number_unsigned()) return std::nullopt;
      result.push_back(size.get<std::size_t>());
    }
    return result;
  }

  void check_that_tensors_tile_the_data() {
    // Empty tensors come before the one that starts where they do.
    std::stable_sort(tensors.begin(), tensors.end(), [](const Tensor& a, const Tensor& b) {
      return std::pair(a.bytes.data(), a.bytes.size()) < std::pair(b.bytes.data(), b.bytes.size());
    });
    const std::byte* expected = data_.data();
    for (const Tensor& tensor : tensors) {
      if (tensor.bytes.data() < expected)
        refuse(source_, fmt::format("tensor '{}' overlaps the one before it", tensor.name));
      if (tensor.bytes.data() > expected)
        refuse(source_, fmt::format("there is a gap of {} bytes before tensor '{}'", tensor.bytes.data() - expected,
                                    tensor.name));
      expected += tensor.bytes.size();
    }
    if (const auto rest = data_.data() + data_.size() - expected; rest != 0)
      refuse(source_, fmt::format("{} bytes at its end belong to no tensor", rest));
  }

  // Compares the checksums with what they were made of, and leaves them out of the metadata.
  void take_checksums(std::string_view text) {
    const auto header = metadata.extract(std::string(kHeaderChecksum));
    const auto listed = metadata.extract(std::string(kTensorChecksums));
    has_checksums = !header.empty() || !listed.empty();
    if (!has_checksums) return;
    const std::size_t at = find_header_digits(text);
    if (header.empty() || listed.empty() || at == std::string_view::npos ||
        header.mapped() != own_checksum(std::string(text), at))
      refuse(source_, "its header does not match its checksum");
    if (listed.mapped().size() != tensors.size() * Checksum::kDigits)
      refuse(source_, "it does not have a checksum for every tensor");
    for (std::size_t i = 0; i < tensors.size(); ++i)
      if (listed.mapped().compare(i * Checksum::kDigits, Checksum::kDigits, checksum_of(tensors[i].bytes)) != 0)
        refuse(source_, fmt::format("tensor '{}' does not match its checksum", tensors[i].name));
  }

  const std::string& source_;
  std::span<const std::byte> data_;
};

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Eight such bytes would be the length of a header far beyond the limit.
bool is_of_text(char c) {
  return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

std::string_view name(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)].name;
}

std::size_t bytes_per(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)].bytes;
}

void SafetensorsWriter::add(const Tensor& tensor) {
  add_rows(tensor, {tensor.bytes.data(), 1, tensor.bytes.size(), tensor.bytes.size()});
}

void SafetensorsWriter::add_rows(Tensor tensor, Rows rows) {
  FIRN_CHECK(byte_count(tensor.dtype, tensor.shape) == rows.count * rows.bytes);
  FIRN_CHECK(tensor.name != kMetadata);
  FIRN_CHECK(names_.insert(tensor.name).second);
  entries_.push_back({std::move(tensor), rows});
}

void SafetensorsWriter::set_metadata(std::string key, std::string value) {
  metadata_[std::move(key)] = std::move(value);
}

std::string SafetensorsWriter::header() const {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  auto& metadata = header[std::string(kMetadata)];
  metadata = metadata_;
  metadata[std::string(kHeaderChecksum)] = std::string(Checksum::kDigits, '0');
  metadata[std::string(kTensorChecksums)] = tensor_checksums();
  std::size_t begin = 0;
  for (const auto& [tensor, rows] : entries_) {
    const std::size_t end = begin + rows.count * rows.bytes;
    auto& entry = header[tensor.name];
    entry["dtype"] = name(tensor.dtype);
    entry["shape"] = tensor.shape;
    entry["data_offsets"] = {begin, end};
    begin = end;
  }
  std::string text = header.dump();
  text.append(-text.size() % kLengthBytes, ' ');  // the arrays start at a multiple of eight bytes
  const std::size_t at = find_header_digits(text);
  return text.replace(at, Checksum::kDigits, own_checksum(text, at));
}

std::string SafetensorsWriter::tensor_checksums() const {
  std::string all;
  for (const auto& [tensor, rows] : entries_) {
    Checksum checksum;
    for (std::size_t r = 0; r < rows.count; ++r) checksum.add({rows.data + r * rows.stride, rows.bytes});
    all += checksum.digits();
  }
  return all;
}

void SafetensorsWriter::write(const std::filesystem::path& path) const {
  std::optional<AtomicFile> file;  // opened once the header is found to be sound
  emit(path.string(), [&](std::span<const std::byte> piece) {
    if (!file) file.emplace(path);
    file->write(piece);
  });
  file->commit();
}

std::vector<std::byte> SafetensorsWriter::bytes() const {
  std::vector<std::byte> all;
  emit("the file in memory",
       [&](std::span<const std::byte> piece) { all.insert(all.end(), piece.begin(), piece.end()); });
  return all;
}

void SafetensorsWriter::emit(const std::string& target,
                             const std::function<void(std::span<const std::byte>)>& sink) const {
  std::string text;
  try {
    text = header();
  } catch (const Json::type_error&) {
    throw Error(fmt::format("cannot write {}: a name or a metadata value is not UTF-8; correct it", target));
  }
  if (text.size() > kMaxHeaderBytes)
    throw Error(
        fmt::format("cannot write {}: its header would have {} bytes and no reader takes more than {}; store "
                    "less metadata",
                    target, text.size(), kMaxHeaderBytes));
  const std::uint64_t length = text.size();
  sink(std::as_bytes(std::span(&length, 1)));
  sink(std::as_bytes(std::span(text)));
  for (const auto& [tensor, rows] : entries_)
    for (std::size_t r = 0; r < rows.count; ++r) sink({rows.data + r * rows.stride, rows.bytes});
}

SafetensorsFile SafetensorsFile::read(const std::filesystem::path& path) {
  return parse(read_file(path), path.string());
}

SafetensorsFile SafetensorsFile::parse(std::vector<std::byte> bytes, std::string source) {
  SafetensorsFile file;
  file.source_ = std::move(source);
  file.bytes_ = std::move(bytes);
  const std::span<const std::byte> all = file.bytes_;
  std::uint64_t length = 0;
  if (all.size() < kLengthBytes) refuse(file.source_, fmt::format("it has only {} bytes", all.size()));
  std::memcpy(&length, all.data(), kLengthBytes);
  if (std::ranges::all_of(as_text(all.first(kLengthBytes)), is_of_text))
    throw Error(fmt::format("{} is a text file, not a checkpoint or model; check the name", file.source_));
  if (length > kMaxHeaderBytes)
    refuse(file.source_, fmt::format("its header claims {} bytes, more than the {} allowed", length, kMaxHeaderBytes));
  if (length > all.size() - kLengthBytes)
    refuse(file.source_, fmt::format("its header claims {} bytes but the file has {}", length, all.size()));

  HeaderReader reader(file.source_, all.subspan(kLengthBytes + length));
  reader.read(as_text(all.subspan(kLengthBytes, length)));
  file.tensors_ = std::move(reader.tensors);
  file.metadata_ = std::move(reader.metadata);
  file.has_checksums_ = reader.has_checksums;
  return file;
}

const std::string& SafetensorsFile::metadata(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end())
    throw Error(fmt::format("{} has no metadata '{}'; was it written by another program?", source_, key));
  return found->second;
}

const Tensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::find_if(tensors_.begin(), tensors_.end(), [&](const Tensor& t) { return t.name == name; });
  return found == tensors_.end() ? nullptr : &*found;
}

const Tensor& SafetensorsFile::tensor(std::string_view name) const {
  const Tensor* found = find(name);
  if (found == nullptr) throw Error(fmt::format("{} has no tensor '{}'; is it a file of another kind?", source_, name));
  return *found;
}

const Tensor& SafetensorsFile::expect(std::string_view name, DType dtype, const Dimensions& shape) const {
  const Tensor& found = tensor(name);
  if (found.dtype != dtype || found.shape != shape)
    throw Error(fmt::format("tensor '{}' of {} is {} {} where {} {} is needed; does it belong to another model?", name,
                            source_, firn::name(found.dtype), format_shape(found.shape), firn::name(dtype),
                            format_shape(shape)));
  return found;
}

}  // namespace firn
