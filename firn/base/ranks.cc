#include "firn/base/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "firn/base/error.h"
#include "firn/base/ranks_mpi.h"

namespace firn {

namespace {

class OneRank final : public Ranks {
 public:
  OneRank() : Ranks(0, 1) {}
  [[noreturn]] void abort(int exit_code) override { std::exit(exit_code); }

 private:
  void do_exchange(std::span<const Outgoing>, std::span<const Incoming>) override {
    FIRN_CHECK(false && "a single rank has nobody to write to");
  }
};

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  int number = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

}  // namespace

Ranks& one_rank() {
  static OneRank alone;
  return alone;
}

RankShare Ranks::share_of(int rank, std::size_t count) const {
  const auto r = static_cast<std::size_t>(rank), ranks = static_cast<std::size_t>(size_);
  return {count * r / ranks, count * (r + 1) / ranks};
}

void Ranks::exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) {
  if (outgoing.empty() && incoming.empty()) return;
  for (const Outgoing& message : outgoing) bytes_sent_ += message.bytes.size();
  messages_sent_ += outgoing.size();
  do_exchange(outgoing, incoming);
}

// Along a binomial tree: whoever has the bytes passes them on, to the most distant rank first.
void Ranks::broadcast(std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  int reach = static_cast<int>(std::bit_ceil(static_cast<unsigned>(size_)));
  if (rank_ > 0) {
    reach = rank_ & -rank_;
    const Incoming message{rank_ - reach, bytes};
    exchange({}, {&message, 1});
  }
  std::vector<Outgoing> messages;
  for (reach /= 2; reach > 0; reach /= 2)
    if (rank_ + reach < size_) messages.push_back({rank_ + reach, bytes});
  exchange(messages, {});
}

std::string Ranks::broadcast(std::string_view text) {
  std::uint64_t length = text.size();
  broadcast(std::as_writable_bytes(std::span(&length, 1)));
  std::string all(text);
  all.resize(length);
  broadcast(std::as_writable_bytes(std::span(all)));
  return all;
}

std::vector<std::string> Ranks::gather(std::string_view text) {
  std::vector<std::uint64_t> lengths(static_cast<std::size_t>(size_));
  lengths[static_cast<std::size_t>(rank_)] = text.size();
  share(std::span(lengths));
  std::vector<std::string> texts(lengths.size());
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (int other = 0; other < size_; ++other) {
    std::string& theirs = texts[static_cast<std::size_t>(other)];
    theirs.resize(lengths[static_cast<std::size_t>(other)]);
    if (other == rank_) {
      theirs = text;
      continue;
    }
    if (!text.empty()) outgoing.push_back({other, std::as_bytes(std::span(text))});
    if (!theirs.empty()) incoming.push_back({other, std::as_writable_bytes(std::span(theirs))});
  }
  exchange(outgoing, incoming);
  return texts;
}

void Ranks::share_bytes(std::span<std::byte> all, std::size_t part) {
  const auto bytes_of = [&](int rank) {
    const RankShare share = share_of(rank, (all.size() + part - 1) / part);
    return all.subspan(share.first * part, std::min(all.size(), share.last * part) - share.first * part);
  };
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (int other = 0; other < size_; ++other) {
    if (other == rank_) continue;
    if (!bytes_of(rank_).empty()) outgoing.push_back({other, bytes_of(rank_)});
    if (!bytes_of(other).empty()) incoming.push_back({other, bytes_of(other)});
  }
  exchange(outgoing, incoming);
}

std::optional<int> odd_one_out(const std::vector<std::string>& answers) {
  const std::string* usual = &answers.front();
  for (const std::string& answer : answers)
    if (std::ranges::count(answers, answer) > std::ranges::count(answers, *usual)) usual = &answer;
  const auto odd = std::ranges::find_if(answers, [&](const std::string& answer) { return answer != *usual; });
  return odd == answers.end() ? std::nullopt : std::optional(static_cast<int>(odd - answers.begin()));
}

bool Ranks::any(bool is_true) {
  if (is_alone()) return is_true;
  std::vector<std::uint8_t> answers(static_cast<std::size_t>(size_));
  answers[static_cast<std::size_t>(rank_)] = is_true;
  share(std::span(answers));
  return std::ranges::any_of(answers, [](std::uint8_t answer) { return answer != 0; });
}

int launched_ranks() {
  // mpirun of Open MPI; mpiexec of MPICH and srun with PMI-2; srun with PMIx says the size only to MPI itself.
  int ranks = std::max({1, number_in("OMPI_COMM_WORLD_SIZE"), number_in("PMI_SIZE")});
  if (ranks == 1 && std::getenv("PMIX_RANK") != nullptr) ranks = std::max(1, number_in("SLURM_STEP_NUM_TASKS"));
  return ranks;
}

std::unique_ptr<Ranks> join_ranks(double timeout) {
  if (launched_ranks() == 1) return std::make_unique<OneRank>();
  auto ranks = join_mpi(timeout);
  if (!ranks)
    throw Error(
        fmt::format("this process was started as one of {}, but Firn was built without MPI and cannot join the others; "
                    "install libopenmpi-dev and build again, or start it alone",
                    launched_ranks()));
  if (ranks->size() != launched_ranks())
    throw Error(fmt::format("the launcher has started {} processes, but MPI has joined {}; use the launcher of {}",
                            launched_ranks(), ranks->size(), mpi_version()));
  return ranks;
}

}  // namespace firn
