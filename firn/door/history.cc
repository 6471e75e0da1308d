#include "firn/api/history.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "firn/base/error.h"
#include "firn/base/parse_json.h"
#include "firn/base/table_sums.h"
#include "firn/report/table_file.h"
#include "firn/study/config_text.h"
#include "firn/train/run_folder.h"

namespace firn::api {

namespace {

using Json = nlohmann::json;

TrainProgress progress_of(const Json& row, std::uint64_t steps) {
  const auto risk = [&](const char* name) {
    return Risk{row.at(name).at("loss").get<double>(), row.at(name).value("accuracy", 0.0)};
  };
  return {.step = row.at("step").get_ref<const std::uint64_t&>(),
          .steps = steps,
          .train_loss = row.at("train_loss").get<double>(),
          .relaxed = risk("relaxed"),
          .discrete = risk("discrete"),
          .frozen = row.at("frozen").get<double>(),
          .learning_rate = row.at("learning_rate").get<double>(),
          .seconds_left = row.at("seconds_left").get<double>()};
}

std::vector<TrainProgress> read_evaluations(const std::filesystem::path& file, std::uint64_t steps) {
  std::vector<TrainProgress> evaluations;
  const std::string text = read_checked_table(file);
  // A line without an end is still being written.
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    try {
      evaluations.push_back(progress_of(parse_json(text.substr(at, end - at)), steps));
    } catch (const Json::exception&) {
      throw Error(fmt::format("{}, line {}: this is not an evaluation of a run; restore the file, or move it away",
                              file.string(), evaluations.size() + 1));
    }
  }
  return evaluations;
}

std::vector<FreezeRecord> read_freezes(const std::filesystem::path& file) {
  const report::TableFile table(file);
  const auto number = [&](std::size_t row, const char* name) { return table.number(row, table.column(name)); };
  const auto whole = [&](std::size_t row, const char* name) { return table.whole(row, table.column(name)); };
  std::vector<FreezeRecord> freezes;
  for (std::size_t r = 0; r < table.rows(); ++r)
    freezes.push_back({whole(r, "step"), std::string(table.text(r, table.column("layer"))), whole(r, "neuron"),
                       whole(r, "slot"), whole(r, "opcode"), number(r, "score"), number(r, "entropy")});
  return freezes;
}

}  // namespace

History read_history(const std::string& name) {
  const training::RunFolder folder(name);
  if (!folder.holds_run()) throw Error(fmt::format("{} holds no run; name a folder that training has written", name));
  const std::uint64_t steps = study::load_config(folder.config()).train.steps;
  History history;
  if (std::filesystem::exists(folder.metrics())) history.evaluations = read_evaluations(folder.metrics(), steps);
  if (std::filesystem::exists(folder.freezes())) history.freezes = read_freezes(folder.freezes());
  return history;
}

}  // namespace firn::api
