// Processes that compute one result together: which of them we are, and how bytes travel between them.
//
// Like Threads, a context that is passed along and never a global. Only bytes are exchanged: whoever adds numbers up
// does so in an order that does not depend on the number of ranks, so that results do not depend on it either. All
// ranks make the same calls in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "firn/base/rooms.h"

namespace firn {

// Items [first, last) of many.
struct RankShare {
  std::size_t first = 0, last = 0;
  std::size_t count() const { return last - first; }
};

class Ranks {
 public:
  struct Outgoing {
    int to;
    std::span<const std::byte> bytes;
  };
  struct Incoming {
    int from;
    std::span<std::byte> bytes;
  };

  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_first() const { return rank_ == 0; }  // the one that writes files and prints
  bool is_alone() const { return size_ == 1; }

  // The items of `count` that a rank owns: consecutive ones, as many as others have, give or take one.
  RankShare share_of(int rank, std::size_t count) const;
  RankShare own_share(std::size_t count) const { return share_of(rank_, count); }

  // Sends and receives everything at once and returns when all has arrived. Messages between two ranks meet in the
  // order in which both list them and must agree in size; nobody writes to himself. Throws an Error that names the
  // ranks that have been silent for too long.
  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming);

  // What follows is made of exchanges.

  // The bytes of rank 0, for all; the others bring as much room.
  void broadcast(std::span<std::byte> bytes);
  // The text of rank 0, for all; what the others bring does not matter.
  std::string broadcast(std::string_view text);
  // The texts of all ranks, for all.
  std::vector<std::string> gather(std::string_view text);
  // Each rank has computed its share of the items; afterwards all have all of them. Items may come in parts of
  // `together`, the last of which may be smaller: then it is parts that are shared.
  template <class T>
  void share(std::span<T> items, std::size_t together = 1) {
    static_assert(std::is_trivially_copyable_v<T>);
    share_bytes(std::as_writable_bytes(items), together * sizeof(T));
  }
  // Is it true for any rank?
  bool any(bool is_true);

  // Ends the processes of all ranks at once, this one too; the launcher reports the exit code.
  [[noreturn]] virtual void abort(int exit_code) = 0;

  std::uint64_t bytes_sent() const { return bytes_sent_; }  // so far, by this rank
  std::uint64_t messages_sent() const { return messages_sent_; }

 protected:
  Ranks(int rank, int size) : rank_(rank), size_(size) {}

 private:
  virtual void do_exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) = 0;
  void share_bytes(std::span<std::byte> all, std::size_t part);

  int rank_, size_;
  std::uint64_t bytes_sent_ = 0, messages_sent_ = 0;
};

// The first rank whose answer is not that of most ranks; of as many for one answer as for another, rank 0 is right.
std::optional<int> odd_one_out(const std::vector<std::string>& answers);

// This process alone. It remembers nothing, so that everybody may share it.
Ranks& one_rank();

// How many processes a launcher (mpirun, or srun of Slurm) says that it has started as one job; 1 without a launcher.
int launched_ranks();

// The ranks of the job that a launcher has started, or this process alone. `timeout` is how many seconds a rank may be
// silent while another one waits for it. An Error where there is a job but Firn was built without MPI. In the lifetime
// of a process there can be only one such object unless the program itself has started MPI; it must die on the thread
// that made it, which alone may use it.
std::unique_ptr<Ranks> join_ranks(double timeout);

// The MPI that Firn was built with, such as "Open MPI 4.1.4"; empty: none.
std::string mpi_version();

}  // namespace firn
