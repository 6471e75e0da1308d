#include "firn/data/input_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/sources/npy_files.h"
#include "tests/support/input_files.h"
#include "tests/support/npy.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class InputFilesTest : public ::testing::Test {
 protected:
  DataSettings settings(const std::string& source, const std::string& file, const std::string& test_file = "") {
    return {.source = source, .root = folder_.path().string(), .file = file, .test_file = test_file};
  }

  TemporaryFolder folder_;
};

TEST_F(InputFilesTest, FilesAreLookedUpWhereLoadingFindsThem) {
  write_input(folder_ / "train.csv", "a,b\n");
  write_input(folder_ / "elsewhere/test.csv", "a,b\n");
  const std::string test = (folder_ / "elsewhere/test.csv").string();
  EXPECT_THAT(data_files(settings("csv", "train.csv", test)), ElementsAre(folder_ / "train.csv", test));
  EXPECT_THAT(data_files(settings("csv", "missing.csv")), ElementsAre(folder_ / "missing.csv"));
}

TEST_F(InputFilesTest, ArraysComeWithTheLabelsThatAreReadWithThem) {
  write_input(folder_ / "x_train.npy", npy("|u1", "(1, 2)", "ab"));
  write_input(folder_ / "y_train.npy", npy("|u1", "(1,)", std::string_view("\0", 1)));
  const auto files = data_files(settings("npy", "x_train.npy", "X.npy"));
  EXPECT_THAT(files,
              ElementsAre(folder_ / "x_train.npy", folder_ / "y_train.npy", folder_ / "X.npy", folder_ / "y.npy"));
  EXPECT_EQ(NpyFiles(files[0], NpySet::kTraining).labels()->name, files[1].string());
  EXPECT_THAT(data_files(settings("npy", "x.npz", "data.npy")), ElementsAre(folder_ / "x.npz", folder_ / "data.npy"));
  EXPECT_THAT(data_files(settings("csv", "x.csv")), ElementsAre(folder_ / "x.csv"));
}

TEST_F(InputFilesTest, FoldersAreTheirImagesAndNothingElse) {
  for (const char* name : {"images/a/1.png", "images/b/2.PNG", "images/b/notes.txt", "images/b/.hidden.png"})
    write_input(folder_ / name, "");
  EXPECT_THAT(data_files(settings("images", "images")),
              ElementsAre(folder_ / "images/a/1.png", folder_ / "images/b/2.PNG"));
  EXPECT_THAT(sample_files((folder_ / "images/b").string()), ElementsAre(folder_ / "images/b/2.PNG"));
}

TEST_F(InputFilesTest, KnownDataSetsAreTheirFilesPackedOrNot) {
  std::filesystem::create_directories(folder_ / "cifar-10-batches-bin");
  const auto files = data_files(settings("cifar10", ""));
  EXPECT_THAT(files, Contains(folder_ / "cifar-10-batches-bin/test_batch.bin"));
  EXPECT_THAT(data_files(settings("mnist", "")), Contains(folder_ / "MNIST/raw/train-images-idx3-ubyte.gz"));
  EXPECT_THAT(data_files(settings("parity", "")), IsEmpty());
}

TEST_F(InputFilesTest, SamplesAreNamedAsTheyAreRead) {
  EXPECT_THAT(sample_files("-", "csv"), ElementsAre("/dev/stdin"));
  EXPECT_THAT(sample_files("x_new.npy"), ElementsAre("x_new.npy", "y_new.npy"));
  EXPECT_THAT(sample_files("x_new.dat", "npy"), ElementsAre("x_new.dat", "y_new.dat"));
  EXPECT_THAT(sample_files("x_new.npy", "csv"), ElementsAre("x_new.npy"));
  EXPECT_THAT(sample_files("x_new.csv"), ElementsAre("x_new.csv"));
}

}  // namespace
}  // namespace firn
