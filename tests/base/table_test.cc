#include "firn/base/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::HasSubstr;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void cut(const std::filesystem::path& path, std::size_t bytes) {
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - bytes);
}

TEST(CsvWriter, QuotesOnlyWhatNeedsIt) {
  const TemporaryFolder folder;
  auto csv = CsvWriter::create(folder / "t.csv", {"step", "note"});
  csv.add({"1", "plain text"});
  csv.add({"2", "a,b"});
  csv.add({"3", "say \"hi\"\nand go"});
  csv.add({"", ""});
  EXPECT_EQ(text_of(folder / "t.csv"), "step,note\n1,plain text\n2,\"a,b\"\n3,\"say \"\"hi\"\"\nand go\"\n,\n");
}

TEST(CsvText, IsWhatTheWriterWrites) {
  const TemporaryFolder folder;
  auto csv = CsvWriter::create(folder / "t.csv", {"step", "note"});
  CsvText text({"step", "note"});
  for (const std::vector<std::string>& row : {std::vector<std::string>{"1", "a,b"}, {"2", "say \"hi\""}, {"", ""}}) {
    csv.add(row);
    text.add(row);
  }
  EXPECT_EQ(text.str(), text_of(folder / "t.csv"));
}

TEST(CsvWriter, AnEmptyCellAloneIsStillARow) {
  const TemporaryFolder folder;
  CsvWriter::create(folder / "t.csv", {"note"}).add({""});
  EXPECT_EQ(text_of(folder / "t.csv"), "note\n\"\"\n");
}

TEST(CsvWriter, ResumeDropsARowThatWasCutOff) {
  const TemporaryFolder folder;
  const std::vector<std::string> columns = {"step", "note"};
  {
    auto csv = CsvWriter::resume(folder / "t.csv", columns);  // creates it
    csv.add({"1", "a"});
    csv.add({"2", "first\nsecond"});
  }
  cut(folder / "t.csv", 3);  // within the quotes, behind a line break that ends no row
  auto csv = CsvWriter::resume(folder / "t.csv", columns);
  csv.add({"2", "b"});
  EXPECT_EQ(text_of(folder / "t.csv"), "step,note\n1,a\n2,b\n");
}

TEST(CsvWriter, ResumeDropsRowsAfterTheStoredLength) {
  const TemporaryFolder folder;
  auto before = CsvWriter::create(folder / "t.csv", {"step"});
  before.add({"1"});
  const std::uint64_t stored = before.length();
  before.add({"2"});
  auto csv = CsvWriter::resume(folder / "t.csv", {"step"}, stored);
  csv.add({"2 again"});
  EXPECT_EQ(text_of(folder / "t.csv"), "step\n1\n2 again\n");
}

TEST(CsvWriter, ResumeStartsOverWhenTheHeaderWasCutOff) {
  const TemporaryFolder folder;
  CsvWriter::create(folder / "t.csv", {"step", "loss"});
  cut(folder / "t.csv", 4);
  CsvWriter::resume(folder / "t.csv", {"step", "loss"}).add({"1", "2"});
  EXPECT_EQ(text_of(folder / "t.csv"), "step,loss\n1,2\n");
}

TEST(CsvWriter, ResumeRefusesAnotherTable) {
  const TemporaryFolder folder;
  CsvWriter::create(folder / "t.csv", {"step", "loss"}).add({"10", "20"});
  EXPECT_THAT(error_of([&] {
                CsvWriter::resume(folder / "t.csv", {"step", "note"});
              }),
              HasSubstr("its columns are not step,note"));
  EXPECT_THAT(error_of([&] {
                CsvWriter::resume(folder / "t.csv", {"step", "loss"}, 12);
              }),
              HasSubstr("no row ends at byte 12"));
  EXPECT_THAT(error_of([&] {
                CsvWriter::resume(folder / "t.csv", {"step", "loss"}, 1000);
              }),
              HasSubstr("has 16 bytes but had 1000"));
  EXPECT_EQ(text_of(folder / "t.csv"), "step,loss\n10,20\n");
}

TEST(JsonLines, OneObjectALineAndResumable) {
  const TemporaryFolder folder;
  std::uint64_t stored = 0;
  {
    auto lines = JsonLines::create(folder / "m.jsonl");
    lines.add({{"step", 1}, {"text", "two\nlines"}});
    stored = lines.length();
    lines.add({{"step", 2}});
    lines.add({{"step", 3}});
  }
  EXPECT_EQ(text_of(folder / "m.jsonl"), "{\"step\":1,\"text\":\"two\\nlines\"}\n{\"step\":2}\n{\"step\":3}\n");
  cut(folder / "m.jsonl", 1);
  JsonLines::resume(folder / "m.jsonl").add({{"step", 4}});
  EXPECT_EQ(text_of(folder / "m.jsonl"), "{\"step\":1,\"text\":\"two\\nlines\"}\n{\"step\":2}\n{\"step\":4}\n");
  JsonLines::resume(folder / "m.jsonl", stored).add({{"step", 5}});
  EXPECT_EQ(text_of(folder / "m.jsonl"), "{\"step\":1,\"text\":\"two\\nlines\"}\n{\"step\":5}\n");
}

TEST(JsonLines, KeepsTheLineOfATextThatIsNotUtf8) {
  const TemporaryFolder folder;
  JsonLines::resume(folder / "m.jsonl").add({{"text", "a\xff"}});
  EXPECT_EQ(text_of(folder / "m.jsonl"), "{\"text\":\"a\xef\xbf\xbd\"}\n");
}

TEST(TextTable, AlignsByColumnsAndNotByBytes) {
  TextTable table({{"model"}, {"accuracy", TextTable::Align::kRight}, {"note"}});
  table.add({"S", "60.4 ± 0.2", ""});
  table.add({"medium", "71.0", "best"});
  EXPECT_EQ(table.str(),
            "model     accuracy  note\n"
            "──────  ──────────  ────\n"
            "S       60.4 ± 0.2\n"
            "medium        71.0  best\n");
}

TEST(TextTable, NamesDoNotReachTheTerminalAsCommands) {
  TextTable table({{"a\x1b]0;title\a"}});
  table.add({"\x1b[2J\n"});
  EXPECT_EQ(table.str(), "a\ufffd]0;title\ufffd\n───────────\n\ufffd[2J\ufffd\n");
}

}  // namespace
}  // namespace firn
