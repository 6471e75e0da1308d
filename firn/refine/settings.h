// How a discrete network is refined.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace firn::refine {

struct RefineSettings {
  std::string objective = "loss";        // or "gates": remove gates at no loss beyond the noise
  std::vector<std::string> layers = {};  // names, "conv" or "all"; empty: all
  std::size_t sweeps = 6;  // at most: one over gates that are placed many times, the others over those placed once
  std::size_t copies = 8;  // of each image: itself and augmented ones; 1 where training does not augment
  // Standard errors that the gain of a move must exceed, of gates placed many times and of gates placed once; for
  // "gates", what a removal may cost. Nothing: chosen by the number of copies.
  std::optional<double> shared_significance, single_significance;
  std::uint64_t memory = 4000000000;  // bytes for the fitting set; there are fewer copies where they do not fit
  std::uint64_t seed = 1;             // of the order of images and of their copies
};

}  // namespace firn::refine
