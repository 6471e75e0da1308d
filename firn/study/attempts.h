// Attempts at the tasks of a sweep, by workers on any number of machines that see its folder.
//
// A worker never writes into a folder that somebody else may be writing. It trains in an attempt, a folder of its own
// (attempts/runs/NAME.3 for the third attempt at the run NAME), which appears by one move, together with the name of
// its worker and whatever an earlier attempt had reached: of several workers exactly one gets it, and one that is
// killed on the way leaves nothing. An attempt whose worker has fallen silent is followed by the next one. Should the
// worker come back, its writes reach its own attempt only, or nothing at all once that was removed. The folder of an
// attempt that is done becomes the folder of the run, by another move; of two that are done, which hold the same bytes,
// one is thrown away; worker.txt in it still says whose it was. So nothing depends on locks, which not every network
// file system has and which a stopped process would hold, nor on clocks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace firn::study {

struct Attempt {
  std::filesystem::path place = {};  // of the task, such as runs/NAME
  std::uint64_t number = 0;          // among those at the same task, from 1; the highest one counts
  std::filesystem::path folder = {};
  std::string worker = {};   // who made it
  bool is_released = false;  // its worker has left it to others
};

class Attempts {
 public:
  // `own` is a folder that only this worker uses, in the same file system; it need not be there yet.
  Attempts(std::filesystem::path sweep, std::string worker, std::filesystem::path own);

  // Of every task, the attempt that counts.
  std::vector<Attempt> newest() const;

  // The attempt after `before`, or the first one, which goes on from where earlier ones stood, or from what a sweep
  // without workers has left in the folder of the task; their attempts are removed. Nothing where somebody else was
  // faster.
  std::optional<Attempt> begin(const std::filesystem::path& place, const std::optional<Attempt>& before);

  // Whether the attempt still counts: no other has followed, and nobody has removed it.
  bool counts(const Attempt& attempt) const;

  // Makes the folder of an attempt that is done the folder of its task, and removes all others. False where another
  // worker was faster, as `is_done` says.
  bool publish(const Attempt& attempt, const std::function<bool()>& is_done);

  // Leaves an attempt to others, who need not wait for a silence then.
  void release(const Attempt& attempt) const;

  // Removes one attempt, or all of them at a task that is done.
  void discard(const Attempt& attempt) { remove(attempt.folder); }
  void clear(const std::filesystem::path& place);

 private:
  std::vector<Attempt> all(const std::filesystem::path& group) const;
  std::vector<Attempt> all_of(const std::filesystem::path& place) const;  // the newest first
  std::filesystem::path folder_of(const std::filesystem::path& place, std::uint64_t number) const;
  std::filesystem::path unused();  // a path in the own folder
  void remove(const std::filesystem::path& folder);

  std::filesystem::path sweep_;
  std::string worker_;
  std::filesystem::path own_;
  std::uint64_t used_ = 0;
};

// Takes a half-trained run along: its newest checkpoints, and its tables as far as they belong to them. The run may be
// going on meanwhile. False where there is nothing to go on from.
bool copy_progress(const std::filesystem::path& from, const std::filesystem::path& to);

// Puts attempts back into the folders of their tasks, for a sweep that works there. Nobody may be working on them.
void adopt_attempts(const std::filesystem::path& sweep,
                    const std::function<bool(const std::filesystem::path& place)>& is_done);

}  // namespace firn::study
