#include "firn/base/table_sums.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/sealed_json.h"

namespace firn {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

constexpr const char* kTablesFormat = "firn checksums 1";
constexpr const char* kAdvice = "remove it, and the tables of the folder are read without checksums";

std::string digits_of(std::string_view text) {
  return checksum_of(std::as_bytes(std::span(text)));
}

}  // namespace

TableSums::TableSums(fs::path folder) : folder_(std::move(folder)) {
  const fs::path file = folder_ / kFile;
  if (!fs::exists(file)) return;
  try {
    const json object = open_sealed_json(read_text(file), file.string(), kAdvice);
    for (const auto& [table, sum] : object.at("tables").items())
      sums_[table] = {sum.at("bytes").get<std::uint64_t>(), sum.at("xxh3").get<std::string>()};
  } catch (const json::exception&) {
    throw Error(fmt::format("{} does not list the checksums of tables; {}", file.string(), kAdvice));
  }
}

void TableSums::check(const std::string& table, std::string_view text) const {
  const auto sum = sums_.find(table);
  if (sum == sums_.end()) return;
  const auto& [bytes, digits] = sum->second;
  const std::string file = (folder_ / table).string();
  constexpr const char* kWayOut = "restore it, or move it away to go on without its rows";
  if (text.size() < bytes)
    throw Error(fmt::format("{} is damaged: it has {} bytes but had {} before; {}", file, text.size(), bytes, kWayOut));
  if (digits_of(text.substr(0, bytes)) != digits)
    throw Error(
        fmt::format("{} is damaged: the checksum of its first {} bytes does not match; {}", file, bytes, kWayOut));
}

void TableSums::cover(const std::string& table) {
  std::unique_ptr<Growing>& growing = growing_[table];
  if (!growing) growing = std::make_unique<Growing>();
  std::ifstream in(folder_ / table, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(growing->bytes));
  std::array<char, 1 << 16> piece;
  while (in.read(piece.data(), piece.size()), in.gcount() > 0) {
    growing->checksum.add(std::as_bytes(std::span(piece.data(), static_cast<std::size_t>(in.gcount()))));
    growing->bytes += static_cast<std::uint64_t>(in.gcount());
  }
  if (!in.eof()) throw Error(fmt::format("cannot read {}; check the disk and try again", (folder_ / table).string()));
  sums_[table] = {growing->bytes, growing->checksum.digits()};
}

void TableSums::cover_less(const std::string& table, std::string_view text, std::uint64_t bytes) {
  growing_.erase(table);
  sums_[table] = {bytes, digits_of(text.substr(0, bytes))};
}

void TableSums::forget(const std::string& table) {
  growing_.erase(table);
  sums_.erase(table);
}

void TableSums::store() const {
  json tables = json::object();
  for (const auto& [table, sum] : sums_) tables[table] = {{"bytes", sum.bytes}, {"xxh3", sum.digits}};
  write_file(folder_ / kFile, seal_json({{"tables", std::move(tables)}}, kTablesFormat));
}

std::string read_checked_table(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  TableSums sums(folder);
  for (;;) {
    std::string text = read_text(file);
    try {
      sums.check(file.filename().string(), text);
      return text;
    } catch (const Error&) {
      TableSums newer(folder);  // a run that is resumed just now may have covered less and cut the table
      if (newer.all() == sums.all()) throw;
      sums = std::move(newer);
    }
  }
}

void write_covered_tables(const fs::path& folder, const std::map<std::string, std::string>& text_by_name) {
  if (text_by_name.empty()) return;
  TableSums sums(folder);
  const auto covered = sums.all();
  for (const auto& [name, text] : text_by_name) sums.forget(name);
  if (sums.all() != covered) sums.store();
  for (const auto& [name, text] : text_by_name) write_file(folder / name, text);
  for (const auto& [name, text] : text_by_name) sums.cover_less(name, text, text.size());
  sums.store();
}

}  // namespace firn
