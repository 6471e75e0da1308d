// Are files and folders still what was written? What `firn check` does.
#pragma once

#include <string>
#include <vector>

namespace firn::api {

struct FileCheck {
  std::string file;
  std::string state;  // "sound", "unchecked" (it has no checksum), "damaged", or "left behind" by a process that died
  std::string about;  // what it is or, as a sentence, what is wrong with it
};

struct CheckReport {
  std::vector<FileCheck> files;
  std::vector<std::string> recovery;  // for every run that has lost a checkpoint, a sentence on how it goes on
  bool is_sound = false;              // nothing is damaged
};

// Checkpoints, models and results; folders of runs, sweeps and diagnoses with all that is in them. Nothing is changed.
// An Error where a path does not exist or holds nothing that Firn has written.
CheckReport check(const std::vector<std::string>& paths);

}  // namespace firn::api
