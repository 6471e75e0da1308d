// Digests of what a network learns from, foremost examples and labels as they are after loading: are these the data
// that it was trained on?
#pragma once

#include <string>

#include "firn/data/dataset.h"

namespace firn::data {

struct Fingerprints {
  std::string train, test;   // test is empty where there is no test set
  std::string teacher = {};  // of its file; empty where there is none, and in files of earlier versions

  friend bool operator==(const Fingerprints&, const Fingerprints&) = default;
};

// Changes with every value, every label and their order. Where the values lie in memory does not matter.
std::string fingerprint_of(const Examples& examples);
Fingerprints fingerprints_of(const Dataset& data);

}  // namespace firn::data
