#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "firn/base/file.h"
#include "firn/base/random.h"
#include "targets.h"

namespace firn {
namespace {

constexpr std::size_t kDamagedCopies = 1000;  // of every file of a corpus

std::vector<std::filesystem::path> corpus_of(const std::string& target) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(FIRN_CORPUS) / target))
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// Flips bits, drops, repeats and replaces pieces: a few changes at a time.
std::string damaged(std::string bytes, RandomSequence& random) {
  const auto below = [&](std::size_t limit) { return random.below(static_cast<std::uint32_t>(limit)); };
  for (std::size_t changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = below(bytes.size()), length = 1 + below(std::min<std::size_t>(bytes.size() - at, 16));
    switch (below(5)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes.erase(at, length);
        break;
      case 2:
        bytes.insert(below(bytes.size()), bytes.substr(at, length));
        break;
      case 3:
        bytes.resize(at);
        break;
      default:
        bytes.replace(at, 1, 1, "\0\xff\"{[,;\n -19e."[below(14)]);
    }
  }
  return bytes;
}

void run(const FuzzTarget& target, const std::string& bytes) {
  target.run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

class CorpusTest : public testing::TestWithParam<FuzzTarget> {};

TEST_P(CorpusTest, StrangeBytesAreReadOrRefused) {
  const FuzzTarget& target = GetParam();
  const std::vector<std::filesystem::path> files = corpus_of(target.name);
  ASSERT_FALSE(files.empty()) << "put a small file into fuzz/corpus/" << target.name;
  run(target, "");
  for (const std::filesystem::path& file : files) {
    const std::string bytes = read_text(file);
    EXPECT_LE(bytes.size(), 8192U) << file << " is too large for the repository";
    run(target, bytes);
    RandomSequence random(1, std::string("fuzz/") + target.name + "/" + file.filename().string());
    for (std::size_t i = 0; i < kDamagedCopies; ++i) run(target, damaged(bytes, random));
  }
}

INSTANTIATE_TEST_SUITE_P(All, CorpusTest, testing::ValuesIn(kFuzzTargets),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace firn
