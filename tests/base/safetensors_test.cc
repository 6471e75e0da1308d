#include "firn/base/safetensors.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "firn/base/checksum.h"
#include "firn/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// A file put together by hand: the length, the header as given, and so many zero bytes of data.
std::vector<std::byte> file_of(std::string_view header, std::size_t data_bytes) {
  std::vector<std::byte> bytes(8 + header.size() + data_bytes);
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  return bytes;
}

std::string refusal_of(std::string_view header, std::size_t data_bytes) {
  return error_of([&] { SafetensorsFile::parse(file_of(header, data_bytes), "some.safetensors"); });
}

std::string tensor_json(std::string_view name, std::string_view dtype, std::string_view shape, std::size_t begin,
                        std::size_t end) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", name, dtype, shape, begin, end);
}

TEST(Safetensors, WhatIsWrittenIsRead) {
  const TemporaryFolder folder;
  const auto path = folder / "a.safetensors";
  Matrix<float> weights(3, 5);
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 5; ++c) weights[r][c] = static_cast<float>(10 * r + c);
  const std::vector<std::uint8_t> gates = {1, 6, 15};
  const std::vector<std::int64_t> step = {-7};

  SafetensorsWriter writer;
  writer.add<std::uint8_t>("gates", {3}, gates);  // leaves what follows unaligned
  writer.add("weights", weights);
  writer.add<std::int64_t>("step", {}, step);
  writer.add<double>("none", {0, 4}, {});
  writer.set_metadata("config", "a = \"ü\"\n");
  writer.write(path);

  const auto file = SafetensorsFile::read(path);
  EXPECT_THAT(file.tensor<std::uint8_t>("gates", {3}), ElementsAre(1, 6, 15));
  EXPECT_THAT(file.tensor<std::int64_t>("step", {}), ElementsAre(-7));
  EXPECT_TRUE(file.tensor<double>("none", {0, 4}).empty());
  EXPECT_EQ(file.metadata("config"), "a = \"ü\"\n");
  Matrix<float> read(3, 5);
  file.read_into("weights", read);
  EXPECT_EQ(std::memcmp(read.data(), weights.data(), weights.bytes()), 0);
  ASSERT_EQ(file.tensors().size(), 4u);
  EXPECT_EQ(file.tensors()[1].name, "weights");
}

TEST(Safetensors, LayoutIsTheFormats) {
  const TemporaryFolder folder;
  Matrix<std::uint16_t> m(2, 3);  // padded rows
  m[0][0] = 0x0102;
  m[1][2] = 0x0304;
  const std::vector<float> one = {1.f};
  SafetensorsWriter writer;
  writer.add("m", m);
  writer.add<float>("one", {1}, one);
  writer.set_metadata("k", "v");
  writer.write(folder / "a");

  const auto bytes = read_file(folder / "a");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  const auto* text = reinterpret_cast<const char*>(bytes.data()) + 8;
  EXPECT_EQ(text[0], '{');
  auto header = nlohmann::json::parse(text, text + length);
  EXPECT_EQ(header["__metadata__"]["checksum.tensors"], checksum_of(std::span(bytes).subspan(8 + length, 12)) +
                                                            checksum_of(std::span(bytes).subspan(8 + length + 12)));
  header["__metadata__"].erase("checksum.tensors");
  header["__metadata__"].erase("checksum.header");
  EXPECT_EQ(header, nlohmann::json::parse(R"({"__metadata__": {"k": "v"},
      "m": {"dtype": "U16", "shape": [2, 3], "data_offsets": [0, 12]},
      "one": {"dtype": "F32", "shape": [1], "data_offsets": [12, 16]}})"));
  const std::vector<std::uint8_t> expected = {2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 4, 3, 0, 0, 0x80, 0x3f};
  ASSERT_EQ(bytes.size(), 8 + length + expected.size());
  EXPECT_EQ(std::memcmp(bytes.data() + 8 + length, expected.data(), expected.size()), 0);
}

SafetensorsWriter small_writer(std::span<const float> values) {
  SafetensorsWriter writer;
  writer.set_metadata("config", "steps = 7  # \"checksum.header\":\"0000000000000000\"");
  writer.add<float>("first", {2}, values.first(2));
  writer.add<float>("none", {0}, {});
  writer.add<float>("second", {1}, values.subspan(2));
  return writer;
}

TEST(Safetensors, EveryFlippedBitIsRefused) {
  const std::vector<float> values = {1.f, -2.f, 0.f};
  const std::vector<std::byte> whole = small_writer(values).bytes();
  EXPECT_TRUE(SafetensorsFile::parse(whole, "whole").has_checksums());
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::vector<std::byte> flipped = whole;
    flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_NE(error_of([&] { SafetensorsFile::parse(flipped, "flipped"); }), "") << "bit " << bit;
  }
}

TEST(Safetensors, ChecksumsNameTheDamagedPart) {
  const std::vector<float> values = {1.f, -2.f, 0.f};
  std::vector<std::byte> bytes = small_writer(values).bytes();
  bytes.back() ^= std::byte{1};
  EXPECT_THAT(error_of([&] { SafetensorsFile::parse(bytes, "a"); }), HasSubstr("tensor 'second' does not match"));
  bytes = small_writer(values).bytes();
  const auto steps = std::ranges::find(bytes, std::byte{'7'});
  *steps = std::byte{'8'};
  EXPECT_THAT(error_of([&] { SafetensorsFile::parse(bytes, "a"); }), HasSubstr("header does not match its checksum"));
}

TEST(Safetensors, FilesWithoutChecksumsAreRead) {
  const auto file = SafetensorsFile::parse(file_of("{" + tensor_json("a", "U8", "[2]", 0, 2) + "}", 2), "old");
  EXPECT_FALSE(file.has_checksums());
  const auto metadata = [](std::string_view key) { return fmt::format(R"({{"__metadata__":{{"{}":"0"}}}})", key); };
  for (const char* half : {"checksum.header", "checksum.tensors"})
    EXPECT_THAT(refusal_of(metadata(half), 0), HasSubstr("does not match its checksum"));
}

TEST(Safetensors, EqualContentGivesEqualBytes) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1.f, 2.f};
  for (const char* name : {"a", "another-name"}) {
    const bool first = std::string_view(name) == "a";
    SafetensorsWriter writer;
    writer.set_metadata(first ? "x" : "y", first ? "1" : "2");  // in either order
    writer.set_metadata(first ? "y" : "x", first ? "2" : "1");
    writer.add<float>("values", {2}, values);
    writer.write(folder / name);
  }
  EXPECT_EQ(read_file(folder / "a"), read_file(folder / "another-name"));
}

TEST(Safetensors, EveryDTypeKeepsItsBytes) {
  const TemporaryFolder folder;
  const std::vector<std::byte> storage(2 * 8, std::byte{1});
  SafetensorsWriter writer;
  for (int d = 0; d <= static_cast<int>(DType::kF64); ++d) {
    const auto dtype = static_cast<DType>(d);
    writer.add({std::string(name(dtype)), dtype, {2}, std::span(storage).first(2 * bytes_per(dtype))});
  }
  writer.write(folder / "a");
  const auto file = SafetensorsFile::read(folder / "a");
  ASSERT_EQ(file.tensors().size(), 13u);
  for (const Tensor& tensor : file.tensors()) {
    EXPECT_EQ(name(tensor.dtype), tensor.name);
    EXPECT_EQ(tensor.bytes.size(), 2 * bytes_per(tensor.dtype));
  }
}

TEST(Safetensors, TypesMeetTheirTwins) {
  EXPECT_EQ(dtype_of<std::uint8_t>(), DType::kU8);
  EXPECT_EQ(dtype_of<std::int8_t>(), DType::kI8);
  EXPECT_EQ(dtype_of<std::uint16_t>(), DType::kU16);
  EXPECT_EQ(dtype_of<std::int16_t>(), DType::kI16);
  EXPECT_EQ(dtype_of<std::uint32_t>(), DType::kU32);
  EXPECT_EQ(dtype_of<std::int32_t>(), DType::kI32);
  EXPECT_EQ(dtype_of<std::size_t>(), DType::kU64);
  EXPECT_EQ(dtype_of<long long>(), DType::kI64);
  EXPECT_EQ(dtype_of<float>(), DType::kF32);
  EXPECT_EQ(dtype_of<double>(), DType::kF64);
}

TEST(Safetensors, ErrorsSayWhatWasExpected) {
  const auto file =
      SafetensorsFile::parse(file_of("{" + tensor_json("w", "F32", "[2,3]", 0, 24) + "}", 24), "x.safetensors");
  EXPECT_THAT(error_of([&] {
                file.tensor<float>("w", {3, 2});
              }),
              AllOf(HasSubstr("'w' of x.safetensors is F32 [2][3]"), HasSubstr("F32 [3][2] is needed")));
  EXPECT_THAT(error_of([&] { file.tensor<double>("w", {2, 3}); }), HasSubstr("F64 [2][3] is needed"));
  EXPECT_THAT(error_of([&] { file.tensor("v"); }), HasSubstr("has no tensor 'v'"));
  EXPECT_THAT(error_of([&] { file.metadata("step"); }), HasSubstr("has no metadata 'step'"));
  Matrix<float> wrong(3, 3);
  EXPECT_THAT(error_of([&] { file.read_into("w", wrong); }), HasSubstr("F32 [3][3] is needed"));
}

TEST(Safetensors, RefusesEveryTruncation) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1.f, 2.f};
  SafetensorsWriter writer;
  writer.add<float>("values", {2}, values);
  writer.write(folder / "a");
  const auto whole = read_file(folder / "a");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THAT(error_of([&] {
                  SafetensorsFile::parse({whole.begin(), whole.begin() + size}, "cut");
                }),
                HasSubstr("cut is not a sound safetensors file"));
}

TEST(Safetensors, RefusesHeadersOfImpossibleLength) {
  auto bytes = file_of("{}", 0);
  for (const auto& [length, part] : {std::pair<std::uint64_t, const char*>{3, "claims 3 bytes but the file has 10"},
                                     {100'000'001, "more than the 100000000 allowed"},
                                     {std::numeric_limits<std::uint64_t>::max(), "more than the 100000000 allowed"}}) {
    std::memcpy(bytes.data(), &length, 8);
    EXPECT_THAT(error_of([&] { SafetensorsFile::parse(bytes, "x"); }), HasSubstr(part));
  }
}

TEST(Safetensors, RefusesArraysThatDoNotTileTheData) {
  const std::string a = tensor_json("a", "U8", "[4]", 0, 4);
  EXPECT_THAT(refusal_of("{" + a + "," + tensor_json("b", "U8", "[4]", 2, 6) + "}", 6), HasSubstr("'b' overlaps"));
  EXPECT_THAT(refusal_of("{" + a + "," + tensor_json("b", "U8", "[4]", 0, 4) + "}", 4), HasSubstr("overlaps"));
  EXPECT_THAT(refusal_of("{" + a + "," + tensor_json("b", "U8", "[4]", 6, 10) + "}", 10),
              HasSubstr("a gap of 2 bytes before tensor 'b'"));
  EXPECT_THAT(refusal_of("{" + a + "}", 5), HasSubstr("1 bytes at its end belong to no tensor"));
  EXPECT_THAT(refusal_of("{" + a + "}", 3), HasSubstr("'a' lies at bytes 0 to 4 of only 3"));
  EXPECT_THAT(refusal_of("{" + tensor_json("a", "U8", "[4]", 4, 0) + "}", 4), HasSubstr("lies at bytes 4 to 0"));
}

TEST(Safetensors, RefusesByteCountsThatAreNotShapeTimesType) {
  EXPECT_THAT(refusal_of("{" + tensor_json("a", "F32", "[4]", 0, 4) + "}", 4),
              HasSubstr("tensor 'a' has 4 bytes, which is not F32 of [4]"));
  // 2^62 x 4 bytes, and 2^32 x 2^32 bytes: zero when computed in 64 bits.
  EXPECT_THAT(refusal_of("{" + tensor_json("a", "F32", "[4611686018427387904]", 0, 0) + "}", 0), HasSubstr("'a' has"));
  EXPECT_THAT(refusal_of("{" + tensor_json("a", "U8", "[4294967296,4294967296]", 0, 0) + "}", 0), HasSubstr("'a' has"));
}

TEST(Safetensors, RefusesStrangeHeaders) {
  const std::string a = tensor_json("a", "U8", "[1]", 0, 1);
  EXPECT_THAT(refusal_of("{" + a + "," + a + "}", 1), HasSubstr("has the name 'a' twice"));
  EXPECT_THAT(refusal_of(R"({"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1),
              HasSubstr("'dtype' twice"));
  EXPECT_THAT(refusal_of("{" + tensor_json("a", "F99", "[1]", 0, 1) + "}", 1), HasSubstr("unknown dtype 'F99'"));
  EXPECT_THAT(refusal_of("{" + tensor_json("a", "U8", "[-1]", 0, 1) + "}", 1), HasSubstr("not a list of sizes"));
  EXPECT_THAT(refusal_of("{" + tensor_json("a", "U8", "[1.0]", 0, 1) + "}", 1), HasSubstr("not a list of sizes"));
  EXPECT_THAT(refusal_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}})", 1), HasSubstr("two positions"));
  EXPECT_THAT(refusal_of(R"({"a":{"dtype":"U8","shape":[1]}})", 1), HasSubstr("not described by dtype"));
  EXPECT_THAT(refusal_of(R"({"a":7})", 1), HasSubstr("not described by dtype"));
  EXPECT_THAT(refusal_of(R"({"__metadata__":{"step":7}})", 0), HasSubstr("metadata 'step' is not a string"));
  EXPECT_THAT(refusal_of(R"({"__metadata__":7})", 0), HasSubstr("not a map of strings"));
  EXPECT_THAT(refusal_of("[1]", 0), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal_of("{\"a\":", 0), HasSubstr("not JSON"));
  EXPECT_THAT(refusal_of("{\"a\":1e999}", 0), HasSubstr("a number that is too large"));
  EXPECT_THAT(refusal_of(std::string(100000, '['), 0), HasSubstr("nests too deeply"));
}

TEST(Safetensors, AcceptsAnEmptyFileAndSpacesAfterTheHeader) {
  EXPECT_TRUE(SafetensorsFile::parse(file_of("{}      ", 0), "x").tensors().empty());
}

TEST(Safetensors, WriterNamesTextThatIsNotUtf8) {
  const TemporaryFolder folder;
  SafetensorsWriter writer;
  writer.set_metadata("k", "\xff");
  EXPECT_THAT(error_of([&] { writer.write(folder / "a"); }), HasSubstr("is not UTF-8"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
}

TEST(SafetensorsDeathTest, WriterHoldsCallersToTheContract) {
  const std::vector<float> values(2);
  SafetensorsWriter writer;
  writer.add<float>("a", {2}, values);
  EXPECT_THROW(writer.add<float>("a", {2}, values), InternalError);
  EXPECT_THROW(writer.add<float>("b", {3}, values), InternalError);
  EXPECT_THROW(writer.add<float>("__metadata__", {2}, values), InternalError);
}

}  // namespace
}  // namespace firn
