// The files that NumPy arrays come in: a .npz archive, or a pair of .npy.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "firn/data/sources/npy.h"

namespace firn::data {

enum class NpySet { kTraining, kTest };

// Reads one set. The arrays point into this object, which keeps the bytes.
class NpyFiles {
 public:
  // Refuses files that cannot be read, but labels may be missing as long as nobody asks for them.
  NpyFiles(const std::filesystem::path& file, NpySet set);
  NpyFiles(const NpyFiles&) = delete;
  NpyFiles& operator=(const NpyFiles&) = delete;

  NpyArray features() const;
  std::optional<NpyArray> labels() const;
  NpyPart part() const;                 // an Error says where labels should be
  std::optional<NpyPart> test() const;  // the test set that an archive of training examples may hold as well

 private:
  bool is_archive() const { return features_ != file_.string(); }
  NpyArray array(const std::string& name) const;
  NpyPart part(const std::string& features, const std::string& labels) const;
  void open_archive(NpySet set);
  void open_pair();

  std::filesystem::path file_;
  std::map<std::string, std::string, std::less<>> arrays_;  // bytes by name: of the array, or of the file
  std::string features_, labels_;                           // names in arrays_; labels may not be there
};

}  // namespace firn::data
