#include "firn/data/sources/npy.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <limits>
#include <utility>

#include "firn/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/input_files.h"
#include "tests/support/npy.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Dataset dataset(const std::string& x, const std::string& y) {
  return dataset_from_npy({parse_npy(x, "x.npy"), parse_npy(y, "y.npy")}, nullptr);
}

const std::string kTwoLabels = npy("<i8", "(2,)", raw<std::int64_t>({1, 0}));

TEST(ParseNpy, ReadsTypeOrderAndShape) {
  const std::string bytes = npy("<i2", "(2, 3)", raw<std::int16_t>({1, -2, 3, 4, 5, 600}), true);
  const NpyArray array = parse_npy(bytes, "a");
  EXPECT_THAT(array.sizes, ElementsAre(2, 3));
  EXPECT_TRUE(array.fortran_order);
  EXPECT_EQ(array.at(1), -2);
  EXPECT_EQ(array.at(5), 600);
}

TEST(ParseNpy, EveryTypeKeepsItsValues) {
  const auto second = [](const std::string& type, const std::string& values) {
    return parse_npy(npy(type, "(2,)", values), "a").at(1);
  };
  EXPECT_EQ(second("|b1", raw<std::uint8_t>({0, 1})), 1);
  EXPECT_EQ(second("|u1", raw<std::uint8_t>({0, 200})), 200);
  EXPECT_EQ(second("|i1", raw<std::int8_t>({0, -100})), -100);
  EXPECT_EQ(second("<u2", raw<std::uint16_t>({0, 60000})), 60000);
  EXPECT_EQ(second("<i4", raw<std::int32_t>({0, -70000})), -70000);
  EXPECT_EQ(second("<u4", raw<std::uint32_t>({0, 4000000000u})), 4000000000.0);
  EXPECT_EQ(second("<i8", raw<std::int64_t>({0, -5000000000})), -5000000000.0);
  EXPECT_EQ(second("<u8", raw<std::uint64_t>({0, 1ull << 63})), 0x1p63);
  EXPECT_EQ(second("<f4", raw<float>({0, 0.5f})), 0.5);
  EXPECT_EQ(second("<f8", raw<double>({0, 1e-9})), 1e-9);
}

TEST(ParseNpy, RefusesEveryCut) {
  const std::string bytes = npy("<f4", "(2, 2)", raw<float>({1, 2, 3, 4}));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THAT(error_of([&] { parse_npy(std::string_view(bytes).substr(0, length), "a.npy"); }), HasSubstr("a.npy"))
        << length;
}

TEST(ParseNpy, RefusesWhatItDoesNotUnderstand) {
  for (const char* type : {">f4", "<f2", "<c8", "|O", "<U5", "f4"})
    EXPECT_THAT(error_of([&] { parse_npy(npy(type, "(1,)", "abcd"), "a.npy"); }),
                AllOf(HasSubstr(type), HasSubstr("astype")));
  EXPECT_THAT(error_of([] { parse_npy(npy("|u1", "()", "a"), "a.npy"); }), HasSubstr("0 axes"));
  EXPECT_THAT(error_of([] { parse_npy(npy("|u1", "(0, 3)", ""), "a.npy"); }), HasSubstr("empty"));
  EXPECT_THAT(error_of([] { parse_npy(npy("|u1", "(4294967296, 4294967296)", ""), "a.npy"); }), HasSubstr("cut"));
}

TEST(Npy, UnsignedBytesAreBytesAndZerosAndOnesAreBits) {
  const Dataset bytes = dataset(npy("|u1", "(2, 2)", raw<std::uint8_t>({0, 1, 2, 255})), kTwoLabels);
  EXPECT_THAT(bytes.train.bytes[1], ElementsAre(2, 255));
  EXPECT_EQ(bytes.classes, 2u);
  EXPECT_EQ(bytes.shape, (Shape{2, 1, 1}));
  for (const std::string& x :
       {npy("|u1", "(2, 2)", raw<std::uint8_t>({0, 1, 1, 0})), npy("|b1", "(2, 2)", raw<std::uint8_t>({0, 1, 1, 0})),
        npy("<f8", "(2, 2)", raw<double>({0, 1, 1, 0}))})
    EXPECT_THAT(dataset(x, kTwoLabels).train.bytes[0], ElementsAre(0, 255));
}

TEST(Npy, FortranOrderIsTurnedAround) {
  const Dataset d = dataset(npy("<f4", "(2, 3)", raw<float>({1, 4, 2, 5, 3, 6}), true), kTwoLabels);
  EXPECT_THAT(d.train.reals[0], ElementsAre(1, 2, 3));
  EXPECT_THAT(d.train.reals[1], ElementsAre(4, 5, 6));
}

TEST(Npy, ChannelsLastBecomeChannelsFirst) {
  std::string values;
  for (int pixel = 0; pixel < 10; ++pixel)
    for (int channel = 0; channel < 3; ++channel) values += static_cast<char>(10 * channel + pixel);
  const Dataset d = dataset(npy("|u1", "(1, 5, 2, 3)", values), npy("|u1", "(1, 1)", raw<std::uint8_t>({0})));
  EXPECT_EQ(d.shape, (Shape{3, 5, 2}));
  for (std::size_t f = 0; f < 30; ++f) EXPECT_EQ(d.train.bytes[0][f], 10 * (f / 10) + f % 10);
}

Shape shape_of(const std::string& axes, std::size_t items, const std::string& layout) {
  const std::string values(items, '\7'), x = npy("|u1", axes, values);
  return dataset_from_npy({parse_npy(x, "x.npy"), parse_npy(kTwoLabels, "y.npy")}, nullptr, layout).shape;
}

TEST(Npy, TakesTheOuterAxisThatCountsOneToFourAsChannels) {
  EXPECT_EQ(shape_of("(2, 16, 16, 2)", 1024, "auto"), (Shape{2, 16, 16}));
  EXPECT_EQ(shape_of("(2, 5, 2, 1)", 20, "auto"), (Shape{1, 5, 2}));
  EXPECT_EQ(shape_of("(2, 4, 2, 6)", 96, "auto"), (Shape{4, 2, 6}));
}

TEST(Npy, AsksForTheLayoutWhereBothOrNeitherCouldBeChannels) {
  for (const char* axes : {"(2, 3, 6, 4)", "(2, 8, 3, 6)"}) {
    const std::size_t items = axes[4] == '3' ? 144 : 288;
    EXPECT_THAT(error_of([&] { shape_of(axes, items, "auto"); }), AllOf(HasSubstr("x.npy"), HasSubstr("data.layout")));
  }
  EXPECT_EQ(shape_of("(2, 3, 6, 4)", 144, "nchw"), (Shape{3, 6, 4}));
  EXPECT_EQ(shape_of("(2, 3, 6, 4)", 144, "nhwc"), (Shape{4, 3, 6}));
  EXPECT_EQ(shape_of("(2, 8, 3, 6)", 288, "nchw"), (Shape{8, 3, 6}));
}

TEST(Npy, ImagesOfSmallIntegersAreBytes) {
  const std::string x = npy("<i8", "(2, 1, 2)", raw<std::int64_t>({0, 7, 255, 9}));
  EXPECT_THAT(dataset(x, kTwoLabels).train.bytes[1], ElementsAre(255, 9));
  const std::string wide = npy("<u2", "(2, 1, 2)", raw<std::uint16_t>({0, 7, 4095, 9}));
  EXPECT_THAT(dataset(wide, kTwoLabels).train.reals[1], ElementsAre(4095, 9));
  const std::string table = npy("<i8", "(2, 2)", raw<std::int64_t>({0, 7, 255, 9}));
  EXPECT_THAT(dataset(table, kTwoLabels).train.reals[1], ElementsAre(255, 9));
}

TEST(Npy, RefusesIntegersThatAFloatCannotHold) {
  const std::string x = npy("<i8", "(2, 1)", raw<std::int64_t>({1, 16777217}));
  EXPECT_THAT(error_of([&] { dataset(x, kTwoLabels); }), AllOf(HasSubstr("x.npy"), HasSubstr("16777217")));
}

TEST(Npy, LabelsWithGapsNameTheirClasses) {
  const std::string x = npy("<f4", "(3, 1)", raw<float>({1, 2, 3}));
  const Dataset far = dataset(x, npy("<i4", "(3,)", raw<std::int32_t>({70000, 3, 70000})));
  EXPECT_EQ(far.classes, 2u);
  EXPECT_THAT(far.class_names, ElementsAre("3", "70000"));
  EXPECT_THAT(far.train.labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(dataset(x, npy("<i4", "(3,)", raw<std::int32_t>({1, -1, 1}))).class_names, ElementsAre("-1", "1"));
  const Dataset plain = dataset(x, npy("<i4", "(3,)", raw<std::int32_t>({2, 0, 1})));
  EXPECT_TRUE(plain.class_names.empty());
  EXPECT_THAT(plain.train.labels, ElementsAre(2, 0, 1));
}

TEST(Npy, SamplesFitWhatAModelExpects) {
  const std::string bytes = npy("|u1", "(1, 3, 2, 4)", std::string(24, '\1'));
  const NpyArray array = parse_npy(bytes, "new.npy");
  EXPECT_THAT(samples_from_npy(array, "auto", {.shape = {4, 3, 2}}).bytes[0], testing::Each(1));
  EXPECT_EQ(samples_from_npy(array, "auto", {.shape = {3, 2, 4}, .reals = true}).reals[0][5], 1.f);
  EXPECT_EQ(samples_from_npy(array, "auto", {.shape = {3, 2, 4}, .bits = true}).bytes[0][5], 255);
  EXPECT_THAT(error_of([&] {
                samples_from_npy(array, "nchw", {.shape = {3, 4, 2}});
              }),
              AllOf(HasSubstr("2 x 4 pixels in 3 channels"), HasSubstr("4 x 2 pixels in 3 channels")));
  const std::string other = npy("<i4", "(1, 2)", raw<std::int32_t>({3, 300}));
  const NpyArray row = parse_npy(other, "new.npy");
  EXPECT_THAT(error_of([&] { samples_from_npy(row, "auto", {.shape = {2, 1, 1}}); }), HasSubstr("300"));
  EXPECT_THAT(error_of([&] {
                samples_from_npy(row, "auto", {.shape = {2, 1, 1}, .bits = true});
              }),
              HasSubstr("0 and 1"));
}

TEST(Npy, RefusesBadLabelsAndValues) {
  const std::string x = npy("<f4", "(2, 1)", raw<float>({1, 2}));
  const auto message = [&](const std::string& features, const std::string& y) {
    return error_of([&] { dataset(features, y); });
  };
  EXPECT_THAT(message(x, npy("<f4", "(2,)", raw<float>({0, 1}))), HasSubstr("not integers"));
  EXPECT_THAT(message(x, npy("<i8", "(2,)", raw<std::int64_t>({0, std::int64_t{1} << 60}))), HasSubstr("position 1"));
  EXPECT_THAT(message(x, npy("|u1", "(3,)", raw<std::uint8_t>({0, 1, 2}))),
              AllOf(HasSubstr("2 examples"), HasSubstr("3 labels")));
  EXPECT_THAT(message(x, npy("|u1", "(2, 2)", raw<std::uint8_t>({0, 1, 1, 0}))), HasSubstr("one class number each"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(message(npy("<f4", "(2, 1)", raw<float>({1, nan})), kTwoLabels),
              AllOf(HasSubstr("x.npy"), HasSubstr("not finite")));
}

TEST(LoadNpy, FindsTheLabelsOfAPair) {
  const TemporaryFolder folder;
  write_input(folder / "x_train.npy", npy("<f4", "(2, 1)", raw<float>({0.25f, 2})));
  write_input(folder / "y_train.npy", kTwoLabels);
  write_input(folder / "x_test.npy", npy("<f4", "(1, 1)", raw<float>({4})));
  DataSettings settings{.root = folder.path().string(), .file = "x_train.npy", .test_file = "x_test.npy"};
  EXPECT_THAT(error_of([&] { load_npy(settings); }), HasSubstr("y_test.npy"));
  write_input(folder / "y_test.npy", npy("|u1", "(1,)", raw<std::uint8_t>({4})));
  EXPECT_THAT(error_of([&] { load_npy(settings); }), AllOf(HasSubstr("label 4"), HasSubstr("y_train.npy")));
  write_input(folder / "y_test.npy", npy("|u1", "(1,)", raw<std::uint8_t>({1})));
  const Dataset d = load_npy(settings);
  EXPECT_EQ(d.train.reals[0][0], 0.25f);
  EXPECT_EQ(d.test.reals[0][0], 4.f);
  EXPECT_EQ(d.classes, 2u);
  EXPECT_THAT(d.test.labels, ElementsAre(1));
  settings.file = "y_train.npy";
  EXPECT_THAT(error_of([&] { load_npy(settings); }), HasSubstr("does not start with x"));
}

TEST(LoadNpy, NamesTheFileWhoseShapeDiffers) {
  const TemporaryFolder folder;
  for (const char* part : {"train", "test"}) write_input(folder / (std::string("y_") + part + ".npy"), kTwoLabels);
  write_input(folder / "x_train.npy", npy("|u1", "(2, 3, 2)", std::string(12, '\5')));
  write_input(folder / "x_test.npy", npy("|u1", "(2, 2, 2)", std::string(8, '\5')));
  EXPECT_THAT(
      error_of([&] { load_npy({.root = folder.path().string(), .file = "x_train.npy", .test_file = "x_test.npy"}); }),
      AllOf(HasSubstr("x_test.npy has examples of 2 x 2 pixels"), HasSubstr("x_train.npy of 3 x 2 pixels")));
}

TEST(LoadNpy, RefusesPartsOfDifferentType) {
  const TemporaryFolder folder;
  for (const char* part : {"train", "test"}) write_input(folder / (std::string("y_") + part + ".npy"), kTwoLabels);
  write_input(folder / "x_train.npy", npy("<f4", "(2, 1)", raw<float>({0.5f, 2})));
  write_input(folder / "x_test.npy", npy("|u1", "(2, 1)", raw<std::uint8_t>({7, 8})));
  EXPECT_THAT(
      error_of([&] { load_npy({.root = folder.path().string(), .file = "x_train.npy", .test_file = "x_test.npy"}); }),
      HasSubstr("save both alike"));
}

void write_npz(const std::filesystem::path& path, std::initializer_list<std::pair<const char*, std::string>> arrays) {
  archive* zip = archive_write_new();
  archive_write_set_format_zip(zip);
  ASSERT_EQ(archive_write_open_filename(zip, path.c_str()), ARCHIVE_OK);
  for (const auto& [name, bytes] : arrays) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, static_cast<la_int64_t>(bytes.size()));
    EXPECT_EQ(archive_write_header(zip, entry), ARCHIVE_OK);
    EXPECT_EQ(archive_write_data(zip, bytes.data(), bytes.size()), static_cast<la_ssize_t>(bytes.size()));
    archive_entry_free(entry);
  }
  EXPECT_EQ(archive_write_close(zip), ARCHIVE_OK);
  archive_write_free(zip);
}

TEST(LoadNpy, ReadsAnArchive) {
  const TemporaryFolder folder;
  const std::string x = npy("|u1", "(2, 2, 2)", raw<std::uint8_t>({0, 1, 2, 3, 4, 5, 6, 7}));
  write_npz(folder / "my.npz",
            {{"x_train.npy", x}, {"y_train.npy", kTwoLabels}, {"x_test.npy", x}, {"y_test.npy", kTwoLabels}});
  const DataSettings settings{.root = folder.path().string(), .file = "my.npz"};
  const Dataset d = load_npy(settings);
  EXPECT_EQ(d.name, "my");
  EXPECT_EQ(d.shape, (Shape{1, 2, 2}));
  EXPECT_THAT(d.test.bytes[1], ElementsAre(4, 5, 6, 7));

  const std::string whole = read_text(folder / "my.npz");
  write_input(folder / "my.npz", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(error_of([&] { load_npy(settings); }), HasSubstr("my.npz"));
  write_npz(folder / "test.npz", {{"x.npy", x}, {"y.npy", kTwoLabels}});
  DataSettings two = settings;
  two.test_file = "test.npz";
  EXPECT_THAT(error_of([&] { load_npy(two); }), HasSubstr("my.npz"));
  write_npz(folder / "my.npz", {{"X.npy", x}, {"y.npy", kTwoLabels}});
  EXPECT_EQ(load_npy(two).test.count(), 2u);
  write_npz(folder / "my.npz", {{"x_train.npy", x}, {"y_train.npy", npy("|u1", "(2,)", raw<std::uint8_t>({3, 3}))}});
  EXPECT_THAT(error_of([&] { load_npy(settings); }), HasSubstr("one class"));
  write_npz(folder / "my.npz", {{"x_train.npy", x}});
  EXPECT_THAT(error_of([&] { load_npy(settings); }), AllOf(HasSubstr("my.npz"), HasSubstr("'y_train'")));
}

TEST(LoadNpy, UnpacksOnlyTheArraysOfASetAndEachOnce) {
  const TemporaryFolder folder;
  const DataSettings settings{.root = folder.path().string(), .file = "my.npz"};
  const std::string x = npy("|u1", "(2, 2)", raw<std::uint8_t>({0, 1, 2, 3}));
  write_npz(folder / "my.npz", {{"x.npy", x}, {"y.npy", kTwoLabels}, {"a/x.npy", x}});
  EXPECT_THAT(error_of([&] { load_npy(settings); }), HasSubstr("my.npz has two arrays 'x'"));
  std::string notes;  // that nobody reads
  for (int i = 0; i < 1000; ++i) notes += static_cast<char>(i * i % 251);
  write_npz(folder / "my.npz", {{"notes.npy", notes}, {"x.npy", x}, {"y.npy", kTwoLabels}});
  std::string bytes = read_text(folder / "my.npz");
  bytes[(bytes.find("notes.npy") + bytes.find("x.npy")) / 2] ^= 1;  // whoever unpacks them finds a wrong checksum
  write_input(folder / "my.npz", bytes);
  EXPECT_EQ(load_npy(settings).train.count(), 2u);
}

}  // namespace
}  // namespace firn
