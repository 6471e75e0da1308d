// Outputs that would eat their own inputs, and those that are streams.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "firn/study/config.h"

namespace firn::study {

// An ArgumentError where the output is one of the inputs, by whatever name or link. Files need not exist.
void check_output(const std::filesystem::path& output, std::span<const std::filesystem::path> inputs);
void check_output(const std::filesystem::path& output, std::initializer_list<std::filesystem::path> inputs);

// The inputs of whoever loads the data of a configuration: see data_files().
std::vector<std::filesystem::path> files_of_data(const Config& config, const std::string& data_root);

// Pipes and devices, which have no place beside them and nothing to lose.
bool is_stream(const std::filesystem::path& output);

}  // namespace firn::study
