// SPDX-License-Identifier: Apache-2.0
#include "host/threads/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <cfenv>
#include <limits>
#include <map>

#include "tests/host/examine/temp_dir.h"
#include "tests/host/threads/jobs.h"

namespace opsrun::host {
namespace {

TEST(ThreadPool, CountsTheCallerAmongItsThreadsWhichHasNoNumber) {
  ThreadPool one(1), pool(2), other(2);
  EXPECT_EQ(one.threads(), 1);
  EXPECT_EQ(ThreadPool(4).threads(), 4);
  EXPECT_EQ(pool.CurrentThread(), -1);
  EXPECT_FALSE(one.TrySchedule([](void*) {}, nullptr));
  int number = 0;
  OnWorker(pool, [&] { number = other.CurrentThread(); });
  EXPECT_EQ(number, -1) << "a worker has no number in another pool";
}

// Signals are for the threads of the program that uses the pool.
TEST(ThreadPool, WorkersTakeNoSignalsButTheirOwnFaults) {
  ThreadPool pool(2);
  sigset_t blocked, own;
  OnWorker(pool, [&] { pthread_sigmask(SIG_BLOCK, nullptr, &blocked); });
  EXPECT_EQ(sigismember(&blocked, SIGINT), 1);
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 1);
  EXPECT_EQ(sigismember(&blocked, SIGSEGV), 0);
  pthread_sigmask(SIG_BLOCK, nullptr, &own);
  EXPECT_EQ(sigismember(&own, SIGINT), 0);
}

TEST(ThreadPool, AsManyWorkersJoinAsAreInvitedAlsoOneByOne) {
  Gate gate, tasks;
  ThreadPool pool(5);
  for (int i = 0; i < 2; ++i) pool.Invite(gate, 1);
  gate.AwaitInside(2);
  // The other two are idle although the job is open.
  for (int i = 1; i <= 2; ++i) {
    EXPECT_TRUE(Occupy(pool, tasks, [&] { return gate.inside > 2; }));
    tasks.AwaitInside(i);
  }
  EXPECT_EQ(gate.inside, 2);
  tasks.open = true;
  gate.End(pool);
}

// Both workers are busy, so nobody answers the first invitation.
TEST(ThreadPool, AnInvitationEndsWithDismiss) {
  Gate tasks, gate, others;
  ThreadPool pool(3);
  for (int i = 1; i <= 2; ++i) {
    Occupy(pool, tasks, [] { return false; });
    tasks.AwaitInside(i);
  }
  pool.Invite(gate, 2);
  pool.Dismiss(gate);
  EXPECT_EQ(gate.inside, 0);
  pool.Invite(gate, 1);
  tasks.open = true;
  gate.AwaitInside(1);
  EXPECT_TRUE(Occupy(pool, others, [&] { return gate.inside > 1; }));
  others.open = true;
  gate.End(pool);
}

TEST(ThreadPool, DismissWaitsForThoseInside) {
  ThreadPool pool(2), alone(1);
  Gate gate, nobody;
  gate.Fill(pool, 1);
  EXPECT_FALSE(pool.TrySchedule([](void*) {}, nullptr)) << "no worker is idle";
  gate.End(pool);
  EXPECT_TRUE(gate.left);
  alone.Invite(nobody, 3);
  alone.Dismiss(nobody);
  EXPECT_EQ(nobody.inside, 0);
}

TEST(ThreadPool, WorkersHaveNumbersOfTheirOwn) {
  struct Numbers : Gate {
    explicit Numbers(ThreadPool& p) : pool(p) {}
    void Help() override {
      seen |= 1u << pool.CurrentThread();
      Gate::Help();
    }
    ThreadPool& pool;
    std::atomic<unsigned> seen{0};
  };
  ThreadPool pool(4);
  Numbers numbers(pool);
  numbers.Fill(pool, 3);
  numbers.End(pool);
  EXPECT_EQ(numbers.seen, 0b111u);
}

TEST(ThreadPool, RunsWhatItScheduled) {
  ThreadPool pool(3);
  std::atomic<int> ran{0};
  int scheduled = 0;
  for (int i = 0; i < 1000; ++i) {
    scheduled += pool.TrySchedule([](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &ran);
  }
  while (ran < scheduled) std::this_thread::yield();
  EXPECT_EQ(ran, scheduled);
}

// A mode that one task or one block sets is none of the next one's, on whatever thread.
TEST(ThreadPool, AFloatingPointModeEndsWithItsTask) {
  ThreadPool pool(3);
  std::atomic<int> odd{0};
  const auto look_and_change = [&odd](int64_t = 0, int64_t = 0) {
    odd += std::fegetround() != FE_TONEAREST;
    std::fesetround(FE_UPWARD);
    return int32_t{0};
  };
  for (int task = 0; task < 50; ++task) OnWorker(pool, look_and_change);
  for (int loop = 0; loop < 50; ++loop) {
    EXPECT_EQ(Loop(pool, 1, 20'000, look_and_change), 0);
    std::fesetround(FE_TONEAREST);  // the calling thread's own, where a loop of one block runs
    EXPECT_EQ(Loop(pool, 8, 20'000, [](int64_t, int64_t) { return 0; }), 0);
  }
  OnWorker(pool, look_and_change);
  EXPECT_EQ(odd, 0);
}

constexpr int64_t kDear = 1'000'000;  // ns an index: every index is worth a block

// How often each index was covered.
std::vector<int> Cover(int threads, int64_t n, int64_t cost) {
  ThreadPool pool(threads);
  std::vector<std::atomic<int>> counts(static_cast<size_t>(n));
  Loop(pool, n, cost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++counts[static_cast<size_t>(i)];
    return 0;
  });
  return {counts.begin(), counts.end()};
}

TEST(ParallelFor, CoversEachIndexOnce) {
  for (int threads : {1, 2, 5}) {
    for (int64_t n : {1, 2, 7, 19, 1000})
      EXPECT_EQ(Cover(threads, n, kDear), std::vector<int>(static_cast<size_t>(n), 1)) << threads << " " << n;
  }
  for (const int64_t cost : {int64_t{1}, int64_t{0}, int64_t{-5}, std::numeric_limits<int64_t>::min()})
    EXPECT_EQ(Cover(2, 100, cost), std::vector<int>(100, 1)) << cost;
  ThreadPool pool(2);
  for (const int64_t none : {0, -5}) EXPECT_EQ(Loop(pool, none, kDear, [](int64_t, int64_t) { return 1; }), 0);
}

// A block takes 2 microseconds or more, and there are at most four for each thread.
TEST(ParallelFor, ABlockIsWorthAThread) {
  const struct {
    int64_t n, cost;
    int blocks;
  } rows[] = {{100, 1, 1},     {3'999, 1, 1},          {4'000, 1, 2},    {3, 1'500, 1},   {4, 1'500, 2},
              {5, 1'500, 2},   {2, 2'000, 2},          {2, 1'999, 1},    {11, 2'000, 11}, {12, 2'000, 12},
              {13, 2'000, 12}, {1'000, 1'000'000, 12}, {1, 1'000'000, 1}};
  ThreadPool pool(3);
  for (const auto& count : rows) {
    std::atomic<int> blocks{0};
    Loop(pool, count.n, count.cost, [&](int64_t, int64_t) {
      ++blocks;
      return 0;
    });
    EXPECT_EQ(blocks, count.blocks) << count.n << " of " << count.cost;
  }
}

TEST(ParallelFor, LastIndexDoesNotOverflow) {
  ThreadPool pool(3);
  std::mutex mutex;
  int64_t last = 0, count = 0;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Loop(pool, kMost, kMost, [&](int64_t begin, int64_t end) {
    const std::lock_guard<std::mutex> lock(mutex);
    last = std::max(last, end);
    count += end - begin;
    return 0;
  });
  EXPECT_EQ(last, kMost);
  EXPECT_EQ(count, kMost);
}

TEST(ParallelFor, FirstFailureIsTheAnswerAndNoBlockFollows) {
  ThreadPool pool(2);
  std::atomic<int> blocks{0};
  const int32_t code = Loop(pool, 1000, kDear, [&](int64_t, int64_t) {
    ++blocks;
    return 7;
  });
  EXPECT_EQ(code, 7);
  EXPECT_LE(blocks, 2);
}

// The worker fails first; the caller fails once the worker is idle again.
TEST(ParallelFor, LaterFailuresDoNotCount) {
  ThreadPool pool(2);
  std::atomic<bool> worker_came{false};
  const int32_t code = Loop(pool, 2, kDear, [&](int64_t, int64_t) {
    if (pool.CurrentThread() >= 0) {
      worker_came = true;
      return 7;
    }
    while (!worker_came) std::this_thread::yield();
    while (!pool.TrySchedule([](void*) {}, nullptr)) std::this_thread::yield();
    return 8;
  });
  EXPECT_EQ(code, 7);
}

TEST(ParallelFor, ShortLoopsDoNotWakeThreads) {
  ThreadPool pool(2);
  const auto wait = [](int64_t, int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 0;
  };
  while (pool.watching() > 0) std::this_thread::yield();
  for (const int64_t cost : {4'000, 19'998}) {
    std::atomic<int> helped{0};
    Loop(pool, 2, cost / 2, [&](int64_t begin, int64_t end) {
      if (pool.CurrentThread() >= 0) ++helped;
      return wait(begin, end);
    });
    EXPECT_EQ(helped, 0) << cost;
  }
}

TEST(ParallelFor, LoopsStayOnOneThreadWhereThatIsWanted) {
  ThreadPool pool(2);
  int blocks = 0;
  const LoopsOnOneThread here;
  Loop(pool, 1000, kDear, [&](int64_t, int64_t) {
    EXPECT_EQ(pool.CurrentThread(), -1);
    ++blocks;
    return 0;
  });
  EXPECT_EQ(blocks, 8) << "as on two threads";
}

TEST(ParallelFor, EachThreadBeginsAtAPlaceOfItsOwn) {
  ThreadPool pool(2);
  std::atomic<int> began{0};
  std::array<std::atomic<int64_t>, 2> first = {-1, -1};
  Loop(pool, 8, kDear, [&](int64_t begin, int64_t) {
    std::atomic<int64_t>& mine = first[static_cast<size_t>(pool.CurrentThread() + 1)];
    if (mine >= 0) return 0;
    mine = begin;
    for (++began; began < 2;) std::this_thread::yield();
    return 0;
  });
  EXPECT_EQ(first[0], 0);
  EXPECT_EQ(first[1], 4);
}

TEST(ParallelFor, InsideABlockALoopRunsInline) {
  ThreadPool pool(4);
  std::atomic<int> outer{0}, inner{0};
  Loop(pool, 8, kDear, [&](int64_t, int64_t) {
    ++outer;
    return Loop(pool, 100, kDear, [&](int64_t begin, int64_t end) {
      ++inner;
      EXPECT_EQ(end - begin, 100);
      return 0;
    });
  });
  EXPECT_EQ(inner, outer);
}

// AvailableCpus in a root with these files, if there were no affinity mask in the way: the mask allows at least one.
int CpusWith(const std::map<std::string, std::string>& files) {
  const TempDir root;
  for (const auto& [name, text] : files) root.Write(name, text);
  return AvailableCpus(root.path());
}

int InMask() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

TEST(AvailableCpus, IsTheMaskWithoutControlGroups) {
  EXPECT_EQ(CpusWith({}), InMask());
  EXPECT_GE(AvailableCpus(), 1);
  EXPECT_LE(AvailableCpus(), InMask());
}

TEST(AvailableCpus, ReadsVersion2) {
  const int mask = InMask();
  for (const auto& [max, cpus] : {std::pair("100000 100000\n", 1), std::pair("max 100000\n", mask),
                                  std::pair("10000 100000\n", 1), std::pair("110000 100000\n", std::min(2, mask))})
    EXPECT_EQ(CpusWith({{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", max}}), cpus) << max;
  EXPECT_EQ(CpusWith({{"proc/self/cgroup", "0::/a/b\n"},
                      {"sys/fs/cgroup/a/cpu.max", "100000 100000\n"},
                      {"sys/fs/cgroup/a/b/cpu.max", "max 100000\n"}}),
            1)
      << "the least of the groups above counts";
  EXPECT_EQ(CpusWith({{"proc/self/cgroup", "nonsense\n::\n0::/\n"}, {"sys/fs/cgroup/cpu.max", "what ever\n"}}), mask);
}

TEST(AvailableCpus, ReadsVersion1) {
  const struct {
    const char *groups, *quota;
    int cpus;
  } rows[] = {{"7:memory:/m\n4:cpu,cpuacct:/x\n", "50000\n", 1},
              {"7:memory:/x\n4:cpuset:/x\n", "50000\n", InMask()},
              {"4:cpu:/x\n", "-1\n", InMask()}};
  for (const auto& row : rows) {
    EXPECT_EQ(CpusWith({{"proc/self/cgroup", row.groups},
                        {"sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", row.quota},
                        {"sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n"}}),
              row.cpus)
        << row.groups;
  }
}

}  // namespace

}  // namespace opsrun::host
