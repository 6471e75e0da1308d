// Ranks that are threads of the test itself: what is written for several processes, without any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/ranks.h"

namespace firn {

// Letters that were sent and not yet received.
class PostOffice {
 public:
  void send(int from, int to, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    letters_[{from, to}].emplace_back(bytes.begin(), bytes.end());
    news_.notify_all();
  }

  void receive(int from, int to, std::span<std::byte> bytes) {
    std::unique_lock lock(mutex_);
    auto& waiting = letters_[{from, to}];
    news_.wait_for(lock, std::chrono::seconds(60), [&] { return !waiting.empty() || gone_.contains(from); });
    if (waiting.empty()) throw Error("rank " + std::to_string(from) + " has not answered");
    if (waiting.front().size() != bytes.size()) throw Error("a letter of another size");
    if (!bytes.empty()) std::memcpy(bytes.data(), waiting.front().data(), bytes.size());
    waiting.pop_front();
  }

  // A rank has ended or failed: nobody needs to wait for letters that it has not sent.
  void leave(int rank) {
    const std::lock_guard lock(mutex_);
    gone_.insert(rank);
    news_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable news_;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> letters_;
  std::set<int> gone_;
};

class ThreadRank final : public Ranks {
 public:
  ThreadRank(PostOffice& post, int rank, int size) : Ranks(rank, size), post_(post) {}
  [[noreturn]] void abort(int) override { throw std::runtime_error("aborted"); }

 private:
  void do_exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override {
    for (const Outgoing& message : outgoing) {
      FIRN_CHECK(message.to != rank() && message.to >= 0 && message.to < size() && !message.bytes.empty());
      post_.send(rank(), message.to, message.bytes);
    }
    for (const Incoming& message : incoming) post_.receive(message.from, rank(), message.bytes);
  }

  PostOffice& post_;
};

// Calls body(ranks) once for every rank, each on a thread of its own. What ranks have thrown, by rank; empty: nothing.
inline std::vector<std::string> failures_on_ranks(int size, const std::function<void(Ranks&)>& body) {
  PostOffice post;
  std::vector<std::string> failures(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      ThreadRank ranks(post, rank, size);
      try {
        body(ranks);
      } catch (const std::exception& error) {
        failures[static_cast<std::size_t>(rank)] = error.what();
      }
      post.leave(rank);
    });
  for (std::thread& thread : threads) thread.join();
  return failures;
}

// The same where nothing may go wrong.
inline void on_thread_ranks(int size, const std::function<void(Ranks&)>& body) {
  for (const std::string& failure : failures_on_ranks(size, body))
    if (!failure.empty()) throw std::runtime_error(failure);
}

}  // namespace firn
