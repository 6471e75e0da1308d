// Whether an output would overwrite what is read, and whether it is a stream.
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

// Whatever a report of these folders may be made from; an earlier page among it may be replaced.
std::vector<std::filesystem::path> files_of_folders(std::span<const std::filesystem::path> folders);

// Pipes and devices, which have no place beside them and nothing to lose.
bool is_stream(const std::filesystem::path& output);

}  // namespace firn::study
