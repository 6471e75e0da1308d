// Ranks over MPI. The only source that sees mpi.h.
//
// Nothing here blocks inside MPI: a rank that has died or hangs would take the others with it. Messages are started,
// and asked about until all are done or nothing has moved for too long. MPI adds nothing up, because the order in which
// it would do so is its own affair.
#include "firn/base/ranks_mpi.h"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

#include "firn/base/error.h"

namespace firn {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTag = 1, kPing = 2, kPong = 3;
// MPI counts in int.
constexpr std::size_t kLargest = std::size_t{1} << 30;
// Messages move only while MPI is asked about them, so that waiting begins by asking all the time. Yet somebody who
// waits for long should leave the processor to others: on busy cores it may be the very rank that is waited for that
// has no processor. There, steps that exchange next to nothing took 25 ms with these 2 ms, and 33 ms with 20.
constexpr auto kEager = std::chrono::milliseconds(2);
constexpr auto kPause = std::chrono::microseconds(200);
// How long a rank that is well may take to say so.
constexpr auto kPatience = std::chrono::seconds(1);

std::string first_line(const char* text) {
  const std::string_view all(text);
  return std::string(all.substr(0, all.find_first_of(",\n")));
}

class MpiRanks final : public Ranks {
 public:
  MpiRanks(int rank, int size, double timeout, bool owns_mpi)
      : Ranks(rank, size), timeout_(timeout), owns_mpi_(owns_mpi), exceptions_(std::uncaught_exceptions()) {
    MPI_Comm_dup(MPI_COMM_WORLD, &world_);
    MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
  }

  // Finalizing waits for all ranks. One that leaves because of an exception must not: its launcher sees that it has
  // ended without, and ends the others.
  ~MpiRanks() override {
    if (std::uncaught_exceptions() != exceptions_) return;
    MPI_Comm_free(&world_);
    if (owns_mpi_) MPI_Finalize();
  }

  [[noreturn]] void abort(int exit_code) override {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::_Exit(exit_code);
  }

 private:
  struct Waiting {
    int other;
    int bytes;  // of a message that comes in; -1: it goes out
  };

  void do_exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override {
    requests_.clear();
    waiting_.clear();
    for (const Incoming& message : incoming)
      for (std::size_t at = 0; at < message.bytes.size(); at += kLargest) {
        const int bytes = static_cast<int>(std::min(kLargest, message.bytes.size() - at));
        check(MPI_Irecv(message.bytes.data() + at, bytes, MPI_BYTE, message.from, kTag, world_, next_request()),
              message.from);
        waiting_.push_back({message.from, bytes});
      }
    for (const Outgoing& message : outgoing)
      for (std::size_t at = 0; at < message.bytes.size(); at += kLargest) {
        const int bytes = static_cast<int>(std::min(kLargest, message.bytes.size() - at));
        check(MPI_Isend(message.bytes.data() + at, bytes, MPI_BYTE, message.to, kTag, world_, next_request()),
              message.to);
        waiting_.push_back({message.to, -1});
      }
    wait_for_all();
  }

  MPI_Request* next_request() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  void wait_for_all() {
    finished_.resize(requests_.size());
    statuses_.resize(requests_.size());
    auto moved = Clock::now();
    for (std::size_t left = requests_.size(); left > 0;) {
      int count = 0;
      const int error = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, finished_.data(),
                                     statuses_.data());
      for (int i = 0; i < count; ++i)
        check_finished(waiting_[static_cast<std::size_t>(finished_[static_cast<std::size_t>(i)])],
                       statuses_[static_cast<std::size_t>(i)], error);
      if (error != MPI_SUCCESS && error != MPI_ERR_IN_STATUS) check(error, waiting_.front().other);
      left -= static_cast<std::size_t>(count);
      const auto now = Clock::now();
      if (count > 0) {
        moved = now;
      } else if (now - moved > std::chrono::duration<double>(timeout_)) {
        give_up();
      } else if (now - moved > kEager) {
        answer_pings();
        std::this_thread::sleep_for(kPause);
      } else {
        std::this_thread::yield();
      }
    }
  }

  static void check_finished(const Waiting& message, const MPI_Status& status, int error) {
    if (error == MPI_ERR_IN_STATUS) check(status.MPI_ERROR, message.other);
    int bytes = 0;
    if (message.bytes >= 0) MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (message.bytes >= 0 && bytes != message.bytes)
      throw Error(fmt::format("rank {} has sent {} bytes where {} were expected; do all ranks run the same Firn?",
                              message.other, bytes, message.bytes));
  }

  static void check(int error, int other) {
    if (error == MPI_SUCCESS) return;
    std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
    int length = 0;
    MPI_Error_string(error, text.data(), &length);
    throw Error(fmt::format("a message between this rank and rank {} was lost ({}); continue with --resume", other,
                            text.data()));
  }

  // The sender of a small message that has arrived; nobody: there is none.
  std::optional<int> receive_small(int tag) const {
    int is_there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, world_, &is_there, &status);
    if (is_there == 0) return std::nullopt;
    char byte = 0;
    MPI_Recv(&byte, 1, MPI_CHAR, status.MPI_SOURCE, tag, world_, MPI_STATUS_IGNORE);
    return status.MPI_SOURCE;
  }

  void send_small(int to, int tag) const {
    static constexpr char kByte = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(&kByte, 1, MPI_CHAR, to, tag, world_, &request);
    MPI_Request_free(&request);  // whether it ever arrives is what we want to know
  }

  // We are well, and wait for somebody ourselves.
  void answer_pings() const {
    while (const std::optional<int> asker = receive_small(kPing)) send_small(*asker, kPong);
  }

  // Those who do not say that they are well: the ranks that the others, and so all of us, are waiting for.
  std::set<int> unwell_among(const std::set<int>& silent) const {
    std::set<int> unwell = silent;
    for (const int other : silent) send_small(other, kPing);
    for (const auto start = Clock::now(); Clock::now() - start < kPatience; std::this_thread::sleep_for(kPause)) {
      answer_pings();
      while (const std::optional<int> other = receive_small(kPong)) unwell.erase(*other);
    }
    return unwell.empty() ? silent : unwell;
  }

  [[noreturn]] void give_up() const {
    std::set<int> waited_for;
    for (std::size_t i = 0; i < requests_.size(); ++i)
      if (requests_[i] != MPI_REQUEST_NULL) waited_for.insert(waiting_[i].other);
    const std::set<int> silent = unwell_among(waited_for);
    throw Error(fmt::format("rank{} {} {} not answered for {} s; see what became of {}, and continue with --resume",
                            silent.size() == 1 ? "" : "s", fmt::join(silent, ", "), silent.size() == 1 ? "has" : "have",
                            timeout_, silent.size() == 1 ? "it" : "them"));
  }

  MPI_Comm world_ = MPI_COMM_NULL;
  double timeout_;
  bool owns_mpi_;
  int exceptions_;
  std::vector<MPI_Request> requests_;
  std::vector<Waiting> waiting_;  // one per request
  std::vector<int> finished_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace

std::unique_ptr<Ranks> join_mpi(double timeout) {
  int is_running = 0, is_over = 0;
  MPI_Finalized(&is_over);
  if (is_over != 0) throw Error("the ranks of this job have parted already and cannot meet again");
  MPI_Initialized(&is_running);
  if (is_running == 0) {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  }
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return std::make_unique<MpiRanks>(rank, size, timeout, /*owns_mpi=*/is_running == 0);
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return first_line(text.data());
}

}  // namespace firn
