// Which attempts at the tasks of a sweep have failed, and why: one file for each, failures/runs/NAME.N, written by the
// worker of that attempt alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "firn/study/attempts.h"

namespace firn::study {

class FailureLog {
 public:
  explicit FailureLog(const std::filesystem::path& sweep) : folder_(sweep / "failures") {}

  struct Summary {
    std::size_t count = 0;
    std::string last = {};  // why the last one failed
  };
  Summary of(const std::filesystem::path& place) const;

  bool has(const Attempt& attempt) const;
  void add(const Attempt& attempt, const std::string& error) const;
  void forget() const;

 private:
  std::filesystem::path file_of(const std::filesystem::path& place, std::uint64_t number) const;

  std::filesystem::path folder_;
};

}  // namespace firn::study
