#include "firn/train/test_result.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/sealed_json.h"

namespace firn::training {

namespace {

using nlohmann::json;

void add(json& object, const std::string& network, const Risk& risk, const std::optional<Quality>& quality,
         const std::optional<ValueQuality>& values) {
  object[network + "_loss"] = risk.loss;
  object[network + "_accuracy"] = risk.accuracy;
  if (values) {
    object.erase(network + "_accuracy");
    object[network + "_r2"] = values->r2;
    object[network + "_rmse"] = values->rmse;
    object[network + "_mae"] = values->mae;
  }
  if (!quality) return;
  const json measures = to_json(*quality);
  for (const auto& [key, value] : measures.items()) object[network + "_" + key] = value;
}

json to_json(const TestRow& row) {
  json object = {{"step", row.step}, {"images", row.images}, {"frozen", row.frozen}};
  add(object, "relaxed", row.relaxed, row.relaxed_quality, row.relaxed_values);
  add(object, "discrete", row.discrete, row.discrete_quality, row.discrete_values);
  return object;
}

Risk risk_from_json(const json& object, const std::string& network) {
  Risk risk{object.at(network + "_loss"), 0};
  if (object.contains(network + "_r2"))
    risk.r2 = object.at(network + "_r2").get<double>();
  else
    risk.accuracy = object.at(network + "_accuracy");
  return risk;
}

TestRow row_from_json(const json& object) {
  return {.step = object.at("step"),
          .images = object.at("images"),
          .relaxed = risk_from_json(object, "relaxed"),
          .discrete = risk_from_json(object, "discrete"),
          .frozen = object.at("frozen")};
}

}  // namespace

json to_json(const Quality& quality) {
  json classes = json::array();
  for (const ClassQuality& c : quality.classes)
    classes.push_back({{"samples", c.samples}, {"precision", c.precision}, {"recall", c.recall}, {"f1", c.f1}});
  json object = {
      {"balanced_accuracy", quality.balanced_accuracy}, {"macro_f1", quality.macro_f1}, {"classes", classes}};
  object["auc"] = quality.auc ? json(*quality.auc) : json(nullptr);
  return object;
}

void write_result(const RunFolder& folder, const std::string& name, std::uint64_t seed, const TestResult& result) {
  json object = {{"name", name}, {"seed", seed}, {"last", to_json(result.last)}};
  if (result.best) object["best"] = to_json(*result.best);
  object["result"] = result.is_best_result ? "best" : "last";
  if (result.stopped_at)
    object["stopped"] = {{"step", *result.stopped_at}, {"reason", "the discrete validation loss no longer fell"}};
  if (result.data) object["data"] = {{"train", result.data->train}, {"test", result.data->test}};
  if (result.data && !result.data->teacher.empty()) object["data"]["teacher"] = result.data->teacher;
  write_file(folder.result(), seal_json(std::move(object), "firn result 1"));
}

json read_result_json(const RunFolder& folder) {
  return open_sealed_json(read_text(folder.result()), folder.result().string(),
                          "remove it and the run is evaluated again");
}

std::optional<TestResult> read_result(const RunFolder& folder) {
  if (!std::filesystem::exists(folder.result())) return std::nullopt;
  try {
    const json object = read_result_json(folder);
    TestResult result{.last = row_from_json(object.at("last")), .best = std::nullopt};
    if (object.contains("best")) result.best = row_from_json(object.at("best"));
    result.is_best_result = object.value("result", "last") == "best";
    if (object.contains("stopped")) result.stopped_at = object.at("stopped").at("step").get<std::uint64_t>();
    if (object.contains("data"))
      result.data = {object.at("data").at("train"), object.at("data").at("test"),
                     object.at("data").value("teacher", "")};
    return result;
  } catch (const json::exception& error) {
    throw Error(fmt::format("{} is not the result of a run ({}); remove it and the run is evaluated again",
                            folder.result().string(), error.what()));
  }
}

}  // namespace firn::training
