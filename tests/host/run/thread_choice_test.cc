// tests/host/run/thread_choice_test.cc: how runs share their work, for given times of each way.
// SPDX-License-Identifier: Apache-2.0
#include "host/run/thread_choice.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

namespace opsrun::host {
namespace {

constexpr int64_t kUs = 1'000, kMs = 1'000'000;

class ThreadChoiceTest : public ::testing::Test {
 protected:
  // By way: how many of so many runs, which take what `time` says, in nanoseconds.
  static std::map<Sharing, int> Run(ThreadChoice& choice, int runs, const std::function<int64_t(Sharing)>& time) {
    std::map<Sharing, int> counts;
    for (int run = 0; run < runs; ++run) {
      const Sharing way = choice.way();
      ++counts[way];
      choice.Note(choice.is_timed() ? time(way) : 0);
    }
    return counts;
  }
};

TEST_F(ThreadChoiceTest, TheFastestWayIsKept) {
  const struct {
    int64_t none, loops, tasks;
    Sharing expected;
  } rows[] = {
      {100 * kUs, 90 * kUs, 60 * kUs, Sharing::kTasks},
      {100 * kUs, 60 * kUs, 90 * kUs, Sharing::kLoops},
      {60 * kUs, 90 * kUs, 100 * kUs, Sharing::kNone},
      {100 * kUs, 100 * kUs, 98 * kUs, Sharing::kNone},  // not worth a second thread
      {1 * kUs, 10 * kUs, 1 * kUs, Sharing::kNone},
      {15 * kMs, 8 * kMs, 9 * kMs, Sharing::kLoops},
      {400 * kMs, 450 * kMs, 499 * kMs, Sharing::kNone},
      {400 * kMs, 450 * kMs, 501 * kMs, Sharing::kTasks},  // too long for trials
  };
  for (const auto& row : rows) {
    ThreadChoice choice(Sharing::kTasks, 2);
    std::map<Sharing, int> counts = Run(choice, 20'000, [&](Sharing way) {
      return std::array{row.none, row.loops, row.tasks}[static_cast<size_t>(way)];
    });
    EXPECT_GT(counts[row.expected], 19'000) << row.none << ", " << row.loops << ", " << row.tasks;
  }
}

TEST_F(ThreadChoiceTest, WithoutTasksNoneAreTried) {
  ThreadChoice choice(Sharing::kLoops, 2);
  std::map<Sharing, int> counts = Run(choice, 1000, [](Sharing) { return 100 * kUs; });
  EXPECT_EQ(counts[Sharing::kTasks], 0);
  EXPECT_GT(counts[Sharing::kNone], 800);
}

// A run that the system has interrupted counts as one that is slower.
TEST_F(ThreadChoiceTest, AFewSlowRunsDecideNothing) {
  std::mt19937 random(1);
  for (const Sharing best : {Sharing::kNone, Sharing::kTasks}) {
    ThreadChoice choice(Sharing::kTasks, 2);
    std::map<Sharing, int> counts = Run(choice, 50'000, [&](Sharing way) {
      return random() % 6 == 0 ? 4 * kMs : (way == best ? 300 : 400) * kUs + static_cast<int64_t>(random() % 20) * kUs;
    });
    EXPECT_GT(counts[best], 45'000);
  }
}

TEST_F(ThreadChoiceTest, RunsAfterWakingThreadsAreNotCounted) {
  ThreadChoice choice(Sharing::kTasks, 2);
  int after_another = 0;
  std::map<Sharing, int> counts = Run(choice, 20'000, [&](Sharing way) {
    after_another = way == Sharing::kTasks ? after_another + 1 : 0;
    return way != Sharing::kTasks ? 30 * kUs : after_another < 5 ? 45 * kUs : 20 * kUs;
  });
  EXPECT_GT(counts[Sharing::kTasks], 18'000);
}

// While the processors are busy with other work, several threads are slower.
TEST_F(ThreadChoiceTest, WhenSeveralThreadsBecomeSlowerOneIsChosenSoon) {
  ThreadChoice choice(Sharing::kTasks, 2);
  const auto quiet = [](Sharing way) { return way == Sharing::kTasks ? 60 * kUs : 100 * kUs; };
  const auto busy = [](Sharing way) { return way == Sharing::kTasks ? 200 * kUs : 110 * kUs; };
  EXPECT_GT(Run(choice, 100'000, quiet)[Sharing::kTasks], 95'000);
  EXPECT_LT(Run(choice, 1000, busy)[Sharing::kTasks], 100);
  EXPECT_GT(Run(choice, 30'000, quiet)[Sharing::kTasks], 20'000) << "and several again";
}

// A trial while they are busy does not count for long.
TEST_F(ThreadChoiceTest, WhenSeveralThreadsBecomeFasterTheyAreChosenSoon) {
  ThreadChoice choice(Sharing::kLoops, 2);
  const auto quiet = [](Sharing way) { return way == Sharing::kLoops ? 1 * kMs : 2 * kMs; };
  const auto busy = [](Sharing way) { return way == Sharing::kLoops ? 3 * kMs : 2 * kMs; };
  EXPECT_LT(Run(choice, 100, busy)[Sharing::kLoops], 20);
  EXPECT_GT(Run(choice, 200, quiet)[Sharing::kLoops], 100);
}

TEST_F(ThreadChoiceTest, AMuchSlowerWayIsTriedOnce) {
  ThreadChoice choice(Sharing::kLoops, 2);
  std::map<Sharing, int> counts =
      Run(choice, 60, [](Sharing way) { return way == Sharing::kNone ? 300 * kMs : 10 * kMs; });
  EXPECT_LE(counts[Sharing::kNone], 3);
}

}  // namespace
}  // namespace opsrun::host
