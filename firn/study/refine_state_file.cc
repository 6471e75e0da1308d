#include "firn/study/refine_state_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>
#include <system_error>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/parse_json.h"
#include "firn/base/safetensors.h"

namespace firn::study {

namespace {

constexpr std::size_t kWholeNumbers = 5, kReals = 2;  // columns of a move

}  // namespace

void save_refine_state(const std::filesystem::path& path, const RefineState& state, const std::string& identity) {
  std::vector<std::uint32_t> numbers;
  std::vector<double> reals = {};
  for (const AcceptedMove& move : state.moves) {
    numbers.insert(numbers.end(), {move.sweep, move.layer, move.gate, move.before, move.after});
    reals.insert(reals.end(), {move.effect, move.error});
  }
  SafetensorsWriter writer;
  writer.add<std::uint8_t>("gates", {state.gates.size()}, state.gates);
  writer.add<std::uint8_t>("best_gates", {state.best_gates.size()}, state.best_gates);
  writer.add<std::uint32_t>("moves", {state.moves.size(), kWholeNumbers}, numbers);
  writer.add<double>("effects", {state.moves.size(), kReals}, reals);
  writer.add<double>("best_loss", {}, std::span(&state.best_loss, 1));
  writer.set_metadata("identity", identity);
  writer.set_metadata("state", nlohmann::json{{"sweeps_done", state.sweeps_done},
                                              {"best_sweep", state.best_sweep},
                                              {"is_finished", state.is_finished}}
                                   .dump());
  writer.write(path);
}

std::optional<RefineState> load_refine_state(const std::filesystem::path& path, const std::string& identity) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  const SafetensorsFile file = SafetensorsFile::read(path);
  if (file.metadata("identity") != identity) return std::nullopt;
  const auto length = [&](const char* name) {
    const Dimensions& shape = file.tensor(name).shape;
    return shape.empty() ? 0 : shape.front();
  };
  RefineState state;
  try {
    const nlohmann::json about = parse_json(file.metadata("state"));
    state.sweeps_done = about.at("sweeps_done");
    state.best_sweep = about.at("best_sweep");
    state.is_finished = about.at("is_finished");
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("{} is damaged; delete it to start the refinement anew", path.string()));
  }
  state.gates = file.tensor<std::uint8_t>("gates", {length("gates")});
  state.best_gates = file.tensor<std::uint8_t>("best_gates", {length("best_gates")});
  state.best_loss = file.tensor<double>("best_loss", {}).front();
  const std::size_t moves = length("moves");
  const auto numbers = file.tensor<std::uint32_t>("moves", {moves, kWholeNumbers});
  const auto reals = file.tensor<double>("effects", {moves, kReals});
  for (std::size_t i = 0; i < moves; ++i) {
    const std::uint32_t* n = numbers.data() + i * kWholeNumbers;
    state.moves.push_back({n[0], n[1], n[2], static_cast<std::uint8_t>(n[3]), static_cast<std::uint8_t>(n[4]),
                           reals[i * kReals], reals[i * kReals + 1]});
  }
  return state;
}

}  // namespace firn::study
