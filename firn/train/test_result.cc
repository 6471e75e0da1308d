#include "firn/train/test_result.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "firn/base/error.h"
#include "firn/base/file.h"

namespace firn::training {

namespace {

using nlohmann::json;

json to_json(const TestRow& row) {
  return {{"step", row.step},
          {"images", row.images},
          {"relaxed_accuracy", row.relaxed.accuracy},
          {"relaxed_loss", row.relaxed.loss},
          {"discrete_accuracy", row.discrete.accuracy},
          {"discrete_loss", row.discrete.loss},
          {"frozen", row.frozen}};
}

TestRow row_from_json(const json& object) {
  return {.step = object.at("step"),
          .images = object.at("images"),
          .relaxed = {object.at("relaxed_loss"), object.at("relaxed_accuracy")},
          .discrete = {object.at("discrete_loss"), object.at("discrete_accuracy")},
          .frozen = object.at("frozen")};
}

}  // namespace

void write_result(const RunFolder& folder, const std::string& name, std::uint64_t seed, const TestResult& result) {
  json object = {{"name", name}, {"seed", seed}, {"last", to_json(result.last)}};
  if (result.best) object["best"] = to_json(*result.best);
  write_file(folder.result(), object.dump(2) + "\n");
}

std::optional<TestResult> read_result(const RunFolder& folder) {
  if (!std::filesystem::exists(folder.result())) return std::nullopt;
  try {
    const json object = json::parse(read_text(folder.result()));
    TestResult result{row_from_json(object.at("last")), std::nullopt};
    if (object.contains("best")) result.best = row_from_json(object.at("best"));
    return result;
  } catch (const json::exception& error) {
    throw Error(fmt::format("{} is not the result of a run ({}); remove it and the run is evaluated again",
                            folder.result().string(), error.what()));
  }
}

}  // namespace firn::training
