// The page on which a compiled model runs: circuit, encoder, layers and examples in one HTML file, evaluated there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firn/data/dataset.h"
#include "firn/infer/model_file.h"

namespace firn::report {

struct PlaySettings {
  std::string title;
  std::string source = {};  // of the examples, for people: "test images of cifar10"
};

// Examples to flip through; they may be none. Each goes by the number that `firn predict` gives it, from 1, or by a
// name.
struct PlayExamples {
  Examples examples;
  std::vector<std::uint32_t> numbers = {};  // [example]
  std::vector<std::string> names = {};      // [example], or empty
};

// At most `limit` of the examples, evenly spread over all of them, so that sorted data show every class.
PlayExamples spread_examples(const Examples& examples, const std::vector<std::string>& names, std::size_t limit);

// Needs the figures (page.h). The policy of the page is that of reports: its own script, and no connections at all.
std::string play_page(const infer::CircuitModel& model, const PlayExamples& shown, const PlaySettings& settings);

}  // namespace firn::report
