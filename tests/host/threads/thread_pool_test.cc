// SPDX-License-Identifier: Apache-2.0
#include "host/threads/thread_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cfenv>
#include <thread>

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

}  // namespace
}  // namespace opsrun::host
