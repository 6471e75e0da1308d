// A folder of its own for the files of one measurement, and programs that run in it with a time limit.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/error.h"

namespace firn::synth {

// The time was up or whoever waits no longer wants the result. What was measured until then stands.
class TimedOut : public Error {
  using Error::Error;
};
class Stopped : public Error {
  using Error::Error;
};

struct WorkbenchSettings {
  double seconds = 0;                    // that each program may take; 0: as long as it likes
  std::function<bool()> may_go_on = {};  // asked while a program runs; empty: always
};

class Workbench {
 public:
  explicit Workbench(const WorkbenchSettings& settings);
  ~Workbench();  // removes the folder and what is in it
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  void write(std::string_view name, std::string_view text) const;
  std::string read(std::string_view name) const;

  // What the program printed; its own temporaries go into the folder as well. TimedOut or Stopped where it was killed,
  // an Error with its last words where it failed.
  std::string run(const std::vector<std::string>& command) const;

 private:
  const WorkbenchSettings& settings_;
  std::filesystem::path folder_;
};

}  // namespace firn::synth
