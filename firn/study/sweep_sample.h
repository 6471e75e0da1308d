// Would this machine train the same bits as those that have worked on a sweep before?
#pragma once

#include <filesystem>
#include <string>

#include "firn/base/threads.h"
#include "firn/data/fingerprint.h"
#include "firn/study/sweep_board.h"

namespace firn::study {

// A few steps of training: what they began with, and a digest of what they gave.
struct SweepSample {
  std::string target;  // SIMD
  Fingerprints data;
  std::string digest;
};

// An Error where the file is not one.
SweepSample read_sample(const std::filesystem::path& file);

// Trains a few steps of every kind of network and data that the sweep has, and compares a digest of what they give with
// that of whoever came first, which the folder keeps in samples/. Throws an Error that says what is different: the SIMD
// target, the data, or neither, which leaves versions of Firn or its libraries. Nothing is written but samples that the
// folder does not have yet; `own` is a folder for them that only this process uses.
void check_sweep_samples(const SweepBoard& board, const std::string& data_root, Threads& threads,
                         const std::filesystem::path& own);

}  // namespace firn::study
