// Checkpoints: everything a run needs to go on, as one safetensors file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/safetensors.h"
#include "firn/base/state.h"
#include "firn/data/fingerprint.h"
#include "firn/data/schema.h"
#include "firn/encode/encoder.h"
#include "firn/model/model.h"
#include "firn/train/loss.h"

namespace firn::training {

// How counts become class sums: offset + factor * count.
struct HeadScale {
  float factor = 1, offset = 0;
};
// Nothing where the configuration alone says it.
std::optional<HeadScale> head_scale_of(const Model& model);

// What a checkpoint says about itself. No clock, path or host: equal runs give equal files.
struct CheckpointHeader {
  std::string config;                    // the resolved configuration as text
  std::uint64_t step = 0;                // steps done
  std::size_t outputs = 0;               // of the head: one for each class, or a single one for two classes
  std::vector<std::string> hooks;        // names, in order; a file made with other hooks is refused
  std::vector<std::string> class_names;  // may be empty
  std::optional<Schema> schema = {};     // where the features have names
  std::optional<HeadScale> head = {};    // absent: a class sum is the count divided by the temperature of the head
  LossScale loss = {};
  std::optional<Fingerprints> data = {};  // of what it was trained on; files of earlier versions do not say
};

// Calls a function that visits every array of the state.
using VisitState = std::function<void(StateVisitor&)>;

void save_checkpoint(const std::filesystem::path& path, const CheckpointHeader& header, const Encoder& encoder,
                     const VisitState& visit);
// The bytes of the file.
std::vector<std::byte> checkpoint_bytes(const CheckpointHeader& header, const Encoder& encoder,
                                        const VisitState& visit);

// A checkpoint that has been read but not yet put anywhere.
class Checkpoint {
 public:
  static bool recognizes(const SafetensorsFile& file);
  // Both refuse files that are damaged or no checkpoints, and say why.
  static Checkpoint parse(SafetensorsFile file);
  static Checkpoint read(const std::filesystem::path& path) { return parse(SafetensorsFile::read(path)); }

  const CheckpointHeader& header() const { return header_; }
  const std::string& source() const { return file_.source(); }
  std::size_t bytes() const;  // of its arrays
  Encoder encoder() const;
  // Fills every visited array; an array that is missing or of another size means another model.
  void restore(const VisitState& visit) const;
  // The same checkpoint with the visited arrays as they are now: a run can go on from it.
  void save_changed(const std::filesystem::path& path, const VisitState& visit) const;

 private:
  Checkpoint(SafetensorsFile file, CheckpointHeader header) : file_(std::move(file)), header_(std::move(header)) {}

  SafetensorsFile file_;
  CheckpointHeader header_;
};

// Puts the neurons, wiring and head of a checkpoint into a model of the same configuration.
void restore_model(const Checkpoint& checkpoint, Model& model);
// The head alone.
void restore_head(const Checkpoint& checkpoint, Model& model);

}  // namespace firn::training
