// Folders of runs, sweeps and diagnoses, in any mixture, as one record.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "firn/network/boolean_network.h"
#include "firn/report/records.h"
#include "firn/train/answers.h"
#include "firn/train/checkpoint.h"

namespace firn::report {

struct GatherSettings {
  // The discrete network of a checkpoint, for the gate mix; without it there is none.
  std::function<BooleanNetwork(const training::Checkpoint& checkpoint)> harden;
  // What the networks of a checkpoint answer; without it pages do not show examples. Asked for runs that were named
  // themselves, not for those of sweeps.
  std::function<Answers(const training::Checkpoint& checkpoint)> answer;
  std::function<void(std::size_t done, std::size_t total)> on_folder = [](std::size_t, std::size_t) {};
};

// Reads what is there and writes nothing. An Error names a folder that is none of the three, or a damaged file; where
// `harden` or `answer` throws one, the record says why it lacks gates or answers.
ReportRecord gather(std::span<const std::filesystem::path> folders, const GatherSettings& settings);

}  // namespace firn::report
