#include "firn/data/sources/cifar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Room {
  explicit Room(std::size_t count) : images(count, kCifarPixels), labels(count) {}
  Matrix<std::uint8_t> images;
  std::vector<std::uint16_t> labels;
};

std::string records(std::initializer_list<char> labels) {
  std::string bytes;
  for (char label : labels) {
    bytes += label;
    for (std::size_t k = 0; k < kCifarPixels; ++k) bytes += static_cast<char>(k * 7 + static_cast<std::size_t>(label));
  }
  return bytes;
}

// The official layout; holes read as zeros, so that the 184 MB cost nothing.
class CifarFolder {
 public:
  CifarFolder() {
    std::filesystem::create_directories(batches());
    for (const char* name :
         {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"})
      resize(name, kCifarBatch * kCifarRecord);
  }
  std::filesystem::path batches() const { return folder_ / "cifar-10-batches-bin"; }
  std::filesystem::path file(const std::string& name) const { return batches() / (name + ".bin"); }
  void resize(const std::string& name, std::size_t size) const {
    std::ofstream(file(name), std::ios::app).close();
    std::filesystem::resize_file(file(name), size);
  }
  void put(const std::string& name, std::size_t at, char byte) const {
    std::fstream out(file(name), std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(at));
    out.put(byte);
  }
  Dataset load() const { return load_cifar10({.root = folder_.path().string()}); }

 private:
  TemporaryFolder folder_;
};

TEST(CifarBatch, KeepsLabelsAndPixels) {
  Room room(3);
  EXPECT_EQ(parse_cifar_batch(records({9, 0}), "b.bin", room.images, room.labels, 1), 2u);
  EXPECT_THAT(room.labels, testing::ElementsAre(0, 9, 0));
  for (std::size_t k : {0, 1, 1024, 3071}) EXPECT_EQ(room.images[1][k], static_cast<std::uint8_t>(k * 7 + 9));
}

TEST(CifarBatch, RefusesPartsOfRecordsAndStrangeLabels) {
  Room room(4);
  const std::string bytes = records({1, 2});
  for (std::size_t cut : {0, 1, 3072, 3074, 6145})
    EXPECT_THAT(error_of([&] {
                  parse_cifar_batch(std::string_view(bytes).substr(0, cut), "b.bin", room.images, room.labels, 0);
                }),
                AllOf(HasSubstr("b.bin"), HasSubstr("fetch it again")))
        << cut;
  EXPECT_THAT(error_of([&] {
                parse_cifar_batch(records({1, 10}), "b.bin", room.images, room.labels, 0);
              }),
              HasSubstr("label 10 at record 1"));
}

TEST(Cifar10, LoadsTheOfficialLayout) {
  const CifarFolder folder;
  folder.put("data_batch_2", 3 * kCifarRecord, 8);
  folder.put("data_batch_2", 3 * kCifarRecord + 1 + 2000, 42);
  folder.put("test_batch", 9999 * kCifarRecord, 5);
  const Dataset dataset = folder.load();
  EXPECT_EQ(dataset.shape, (Shape{3, 32, 32}));
  EXPECT_EQ(dataset.train.count(), 50000u);
  EXPECT_EQ(dataset.test.count(), 10000u);
  EXPECT_EQ(dataset.train.labels[10003], 8);
  EXPECT_EQ(dataset.train.bytes[10003][2000], 42);
  EXPECT_EQ(dataset.test.labels[9999], 5);
  EXPECT_EQ(dataset.class_names[9], "truck");
}

TEST(Cifar10, RefusesABatchThatIsCutBetweenRecords) {
  const CifarFolder folder;
  folder.resize("data_batch_3", 9999 * kCifarRecord);
  EXPECT_THAT(error_of([&] { folder.load(); }), AllOf(HasSubstr("data_batch_3.bin"), HasSubstr("fetch it again")));
}

TEST(Cifar10, NamesTheFileWithAWrongLabel) {
  const CifarFolder folder;
  folder.put("test_batch", 17 * kCifarRecord, 77);
  EXPECT_THAT(error_of([&] { folder.load(); }), AllOf(HasSubstr("test_batch.bin"), HasSubstr("label 77 at record 17")));
}

TEST(Cifar10, SaysHowToGetAMissingBatch) {
  const CifarFolder folder;
  std::filesystem::remove(folder.file("data_batch_5"));
  EXPECT_THAT(error_of([&] { folder.load(); }),
              AllOf(HasSubstr("data_batch_5.bin"), HasSubstr("firn data fetch cifar10")));
}

}  // namespace
}  // namespace firn
