#include "firn/base/ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "tests/support/expect_error.h"
#include "tests/support/thread_ranks.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

constexpr int kSizes[] = {1, 2, 3, 4, 5, 8};

TEST(Ranks, SharesCoverEverythingOnce) {
  for (const int size : kSizes)
    on_thread_ranks(size, [&](Ranks& ranks) {
      for (const std::size_t count : {0, 1, 3, 4, 17}) {
        std::size_t next = 0;
        for (int rank = 0; rank < size; ++rank) {
          const RankShare share = ranks.share_of(rank, count);
          EXPECT_EQ(share.first, next);
          EXPECT_LE(share.count(), count / static_cast<std::size_t>(size) + 1);
          next = share.last;
        }
        EXPECT_EQ(next, count);
      }
    });
}

TEST(Ranks, BroadcastsWhatTheFirstRankHas) {
  for (const int size : kSizes)
    on_thread_ranks(size, [&](Ranks& ranks) {
      for (const std::string text : {"", "a", "the text of rank 0"})
        EXPECT_EQ(ranks.broadcast(ranks.is_first() ? text : "something longer than the text of rank 0"), text);
    });
}

TEST(Ranks, GathersTheTextsOfAll) {
  for (const int size : kSizes)
    on_thread_ranks(size, [&](Ranks& ranks) {
      const auto texts = ranks.gather(std::string(static_cast<std::size_t>(ranks.rank()), 'x'));
      ASSERT_EQ(texts.size(), static_cast<std::size_t>(size));
      for (std::size_t rank = 0; rank < texts.size(); ++rank) EXPECT_EQ(texts[rank], std::string(rank, 'x'));
    });
}

TEST(Ranks, ShareWhatEachHasComputed) {
  for (const int size : kSizes)
    for (const std::size_t together : {1, 4})
      for (const std::size_t count : {0, 1, 7, 30})
        on_thread_ranks(size, [&](Ranks& ranks) {
          std::vector<int> expected(count), items(count);
          std::iota(expected.begin(), expected.end(), 1);
          const RankShare own = ranks.own_share((count + together - 1) / together);
          for (std::size_t i = own.first * together; i < std::min(count, own.last * together); ++i)
            items[i] = expected[i];
          ranks.share(std::span(items), together);
          EXPECT_EQ(items, expected) << size << " ranks, " << count << " items";
        });
}

TEST(Ranks, AnyIsTrueOnAllRanksIfItIsOnOne) {
  for (const int size : kSizes)
    for (int who = -1; who < size; ++who)
      on_thread_ranks(size, [&](Ranks& ranks) { EXPECT_EQ(ranks.any(ranks.rank() == who), who >= 0); });
}

TEST(Ranks, CountWhatTheySend) {
  on_thread_ranks(3, [](Ranks& ranks) {
    std::vector<std::byte> bytes(30);
    ranks.share(std::span(bytes));
    EXPECT_EQ(ranks.bytes_sent(), 2 * 10u);
    EXPECT_EQ(ranks.messages_sent(), 2u);
  });
}

TEST(Ranks, TheOddOneOutIsTheMinority) {
  EXPECT_EQ(odd_one_out({"a"}), std::nullopt);
  EXPECT_EQ(odd_one_out({"a", "a", "a"}), std::nullopt);
  EXPECT_EQ(odd_one_out({"a", "b", "a"}), 1);
  EXPECT_EQ(odd_one_out({"b", "a", "a"}), 0);
  EXPECT_EQ(odd_one_out({"a", "b"}), 1) << "rank 0 is right where votes are equal";
}

TEST(Ranks, OneProcessIsAloneWithoutALauncher) {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) ::unsetenv(variable);
  EXPECT_EQ(launched_ranks(), 1);
  const auto ranks = join_ranks(1);
  EXPECT_TRUE(ranks->is_alone());
  EXPECT_TRUE(ranks->is_first());
  EXPECT_EQ(ranks->broadcast("text"), "text");
  EXPECT_EQ(ranks->gather("text"), std::vector<std::string>{"text"});
  EXPECT_TRUE(ranks->any(true));
}

TEST(Ranks, ALauncherSaysHowManyThereAre) {
  ::setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  EXPECT_EQ(launched_ranks(), 4);
  if (mpi_version().empty()) {
    EXPECT_THAT(error_of([] { join_ranks(1); }), HasSubstr("one of 4, but Firn was built without MPI"));
  }
  ::unsetenv("OMPI_COMM_WORLD_SIZE");
}

}  // namespace
}  // namespace firn
