#include "firn/data/sources/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "firn/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/input_files.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Two images of 2 x 3 pixels for training and one for testing, in torchvision's layout.
class MnistFolder {
 public:
  explicit MnistFolder(const std::string& set = "MNIST") : raw_(folder_ / set / "raw") {
    write_input(raw_ / "train-images-idx3-ubyte", idx_bytes({2, 2, 3}, "abcdefABCDEF"));
    write_input(raw_ / "train-labels-idx1-ubyte", idx_bytes({2}, "\7\2"));
    write_input(raw_ / "t10k-images-idx3-ubyte", idx_bytes({1, 2, 3}, "uvwxyz"));
    write_input(raw_ / "t10k-labels-idx1-ubyte", idx_bytes({1}, "\1"));
  }
  const std::filesystem::path& raw() const { return raw_; }
  DataSettings settings() const { return {.root = folder_.path().string()}; }
  std::string message() const {
    return error_of([&] { load_mnist(settings()); });
  }

 private:
  TemporaryFolder folder_;
  std::filesystem::path raw_;
};

TEST(ParseIdx, ReadsSizesAndValues) {
  const std::string bytes = idx_bytes({2, 1, 3}, "abcdef");
  const IdxArray array = parse_idx(bytes, "f");
  EXPECT_THAT(array.sizes, ElementsAre(2, 1, 3));
  EXPECT_EQ(array.values, "abcdef");
}

TEST(ParseIdx, RefusesEveryCut) {
  const std::string bytes = idx_bytes({2, 1, 3}, "abcdef");
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THAT(error_of([&] { parse_idx(std::string_view(bytes).substr(0, length), "f.idx"); }),
                AllOf(HasSubstr("f.idx"), HasSubstr("fetch it again")))
        << length;
  EXPECT_THAT(error_of([&] { parse_idx(bytes + "g", "f.idx"); }), HasSubstr("more than its header promises"));
}

TEST(ParseIdx, RefusesSizesWhoseProductOverflows) {
  // 2^16 * 2^16 * 2^16 * 2^16 is 0 in 64 bits.
  EXPECT_THAT(error_of([] { parse_idx(idx_bytes({65536, 65536, 65536, 65536}, ""), "f"); }), HasSubstr("less than"));
  EXPECT_THAT(error_of([] { parse_idx(idx_bytes({0, 5}, ""), "f"); }), HasSubstr("empty along axis 0"));
  // (2^31 * 4) * (2^31 + 1) is 2^33 in 64 bits. Only the first page of so many bytes is ever touched.
  const std::string header = idx_bytes({1u << 31, 4, (1u << 31) + 1}, "");
  const std::size_t size = header.size() + (std::size_t{1} << 33);
  void* const memory =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "this machine gives out no more memory than it has";
  std::memcpy(memory, header.data(), header.size());
  EXPECT_THAT(error_of([&] { parse_idx({static_cast<const char*>(memory), size}, "f"); }), HasSubstr("less than"));
  ::munmap(memory, size);
}

TEST(ParseIdx, RefusesOtherTypes) {
  std::string bytes = idx_bytes({1}, "abcd");
  bytes[2] = 0x0d;  // floats
  EXPECT_THAT(error_of([&] { parse_idx(bytes, "f.idx"); }), AllOf(HasSubstr("0x0d"), HasSubstr("unsigned bytes")));
}

TEST(Mnist, LoadsPlainFiles) {
  const Dataset dataset = load_mnist(MnistFolder().settings());
  EXPECT_EQ(dataset.shape, (Shape{1, 2, 3}));
  EXPECT_EQ(dataset.classes, 10u);
  EXPECT_THAT(dataset.train.labels, ElementsAre(7, 2));
  EXPECT_THAT(dataset.train.bytes[1], ElementsAre('A', 'B', 'C', 'D', 'E', 'F'));
  EXPECT_THAT(dataset.test.bytes[0], ElementsAre('u', 'v', 'w', 'x', 'y', 'z'));
}

TEST(FashionMnist, LoadsGzippedFilesBelowTheRoot) {
  const MnistFolder folder("FashionMNIST");
  std::filesystem::remove(folder.raw() / "t10k-images-idx3-ubyte");
  write_gz(folder.raw() / "t10k-images-idx3-ubyte.gz", idx_bytes({1, 2, 3}, "UVWXYZ"));
  const Dataset dataset = load_fashion_mnist(folder.settings());
  EXPECT_THAT(dataset.test.bytes[0], ElementsAre('U', 'V', 'W', 'X', 'Y', 'Z'));
  EXPECT_EQ(dataset.class_names[9], "ankle boot");
}

TEST(Mnist, RefusesAGzipCutInTheMiddle) {
  const MnistFolder folder;
  const std::filesystem::path plain = folder.raw() / "train-images-idx3-ubyte";
  std::filesystem::remove(plain);
  write_gz(plain.string() + ".gz", idx_bytes({2, 2, 3}, "abcdefABCDEF"));
  const std::string whole = read_text(plain.string() + ".gz");
  write_input(plain.string() + ".gz", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(folder.message(), AllOf(HasSubstr("train-images-idx3-ubyte.gz"), HasSubstr("ends in the middle")));
}

TEST(Mnist, RefusesAWrongMagicNumber) {
  const MnistFolder folder;
  write_input(folder.raw() / "t10k-labels-idx1-ubyte", "<html>not found</html>");
  EXPECT_THAT(folder.message(), AllOf(HasSubstr("t10k-labels-idx1-ubyte"), HasSubstr("magic"), HasSubstr("again")));
}

TEST(Mnist, RefusesALabelOutOfRange) {
  const MnistFolder folder;
  write_input(folder.raw() / "train-labels-idx1-ubyte", idx_bytes({2}, "\7\12"));
  EXPECT_THAT(folder.message(), AllOf(HasSubstr("train-labels-idx1-ubyte"), HasSubstr("label 10 at position 1")));
}

TEST(Mnist, RefusesDifferentNumbersOfImagesAndLabels) {
  const MnistFolder folder;
  write_input(folder.raw() / "train-labels-idx1-ubyte", idx_bytes({3}, "\1\2\3"));
  EXPECT_THAT(folder.message(), AllOf(HasSubstr("2 images"), HasSubstr("3 labels"), HasSubstr("same set")));
}

TEST(Mnist, RefusesLabelsInPlaceOfImagesAndOtherSizes) {
  const MnistFolder folder;
  write_input(folder.raw() / "t10k-images-idx3-ubyte", idx_bytes({1, 3, 2}, "uvwxyz"));
  EXPECT_THAT(folder.message(), HasSubstr("training images"));
  write_input(folder.raw() / "t10k-images-idx3-ubyte", idx_bytes({1}, "\1"));
  EXPECT_THAT(folder.message(), AllOf(HasSubstr("t10k-images"), HasSubstr("1 axes")));
}

TEST(Mnist, SaysHowToGetWhatIsMissing) {
  EXPECT_THAT(error_of([] { load_mnist({.root = "/nowhere"}); }),
              AllOf(HasSubstr("/nowhere/MNIST/raw"), HasSubstr("firn data fetch mnist")));
}

}  // namespace
}  // namespace firn
