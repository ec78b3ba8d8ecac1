// SPDX-License-Identifier: Apache-2.0
#include "host/threads/thread_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <set>
#include <thread>

#include "host/threads/parallel_for.h"

namespace opsrun::host {
namespace {

// Counts who comes, and keeps them until it is opened.
struct Gate : ThreadPool::Job {
  void Help() override {
    ++inside;
    while (!open) std::this_thread::yield();
    for (int i = 0; i < 20; ++i) std::this_thread::yield();
    left = true;
  }
  void AwaitInside(int n) const {
    while (inside < n) std::this_thread::yield();
  }
  std::atomic<int> inside{0};
  std::atomic<bool> open{false}, left{false};
};

// Keeps a thread that is idle busy with a task; false if it is `full` first.
template <typename Full>
bool Occupy(ThreadPool& pool, Gate& gate, Full full) {
  while (!pool.TrySchedule([](void* g) { static_cast<Gate*>(g)->Help(); }, &gate)) {
    if (full()) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(ThreadPool, CountsTheCallerAmongItsThreads) {
  EXPECT_EQ(ThreadPool(1).threads(), 1);
  EXPECT_EQ(ThreadPool(4).threads(), 4);
}

// Signals are for the threads of the program that uses the pool.
TEST(ThreadPool, WorkersTakeNoSignalsButTheirOwnFaults) {
  ThreadPool pool(2);
  struct Seen {
    std::atomic<bool> known{false};
    sigset_t blocked;
  } worker;
  const auto look = [](void* context) {
    auto& seen = *static_cast<Seen*>(context);
    pthread_sigmask(SIG_BLOCK, nullptr, &seen.blocked);
    seen.known = true;
    seen.known.notify_one();
  };
  while (!pool.TrySchedule(look, &worker)) std::this_thread::yield();
  worker.known.wait(false);
  EXPECT_EQ(sigismember(&worker.blocked, SIGINT), 1);
  EXPECT_EQ(sigismember(&worker.blocked, SIGTERM), 1);
  EXPECT_EQ(sigismember(&worker.blocked, SIGSEGV), 0);
  sigset_t own;
  pthread_sigmask(SIG_BLOCK, nullptr, &own);
  EXPECT_EQ(sigismember(&own, SIGINT), 0);
}

TEST(ThreadPool, CallerHasNoNumber) {
  EXPECT_EQ(ThreadPool(2).CurrentThread(), -1);
}

TEST(ThreadPool, AsManyWorkersJoinAsAreInvited) {
  Gate gate, tasks;
  ThreadPool pool(5);
  pool.Invite(gate, 2);
  gate.AwaitInside(2);
  // The other two are idle although the job is open.
  for (int i = 1; i <= 2; ++i) {
    EXPECT_TRUE(Occupy(pool, tasks, [&] { return gate.inside > 2; }));
    tasks.AwaitInside(i);
  }
  EXPECT_EQ(gate.inside, 2);
  gate.open = tasks.open = true;
  pool.Dismiss(gate);
}

TEST(ThreadPool, InvitationsAddUp) {
  Gate gate;
  ThreadPool pool(3);
  pool.Invite(gate, 1);
  pool.Invite(gate, 1);
  gate.AwaitInside(2);
  gate.open = true;
  pool.Dismiss(gate);
}

// Both workers are busy, so nobody answers the first invitation.
TEST(ThreadPool, AnInvitationEndsWithDismiss) {
  Gate tasks, gate, others;
  ThreadPool pool(3);
  const auto never = [] { return false; };
  for (int i = 1; i <= 2; ++i) {
    Occupy(pool, tasks, never);
    tasks.AwaitInside(i);
  }
  pool.Invite(gate, 2);
  pool.Dismiss(gate);
  EXPECT_EQ(gate.inside, 0);
  pool.Invite(gate, 1);
  tasks.open = true;
  gate.AwaitInside(1);
  EXPECT_TRUE(Occupy(pool, others, [&] { return gate.inside > 1; }));
  gate.open = others.open = true;
  pool.Dismiss(gate);
}

TEST(ThreadPool, AWorkerHasNoNumberInAnotherPool) {
  ThreadPool other(2), pool(2);
  struct Asked {
    ThreadPool* pool;
    std::atomic<int> number{0};
  } asked{&other};
  const auto ask = [](void* context) {
    auto& question = *static_cast<Asked*>(context);
    question.number = question.pool->CurrentThread() == -1 ? 1 : 2;
    question.number.notify_one();
  };
  while (!pool.TrySchedule(ask, &asked)) std::this_thread::yield();
  asked.number.wait(0);
  EXPECT_EQ(asked.number, 1);
}

TEST(ThreadPool, DismissWaitsForThoseInside) {
  ThreadPool pool(2);
  Gate gate;
  pool.Invite(gate, 1);
  gate.AwaitInside(1);
  gate.open = true;
  pool.Dismiss(gate);
  EXPECT_TRUE(gate.left);
}

TEST(ThreadPool, DismissReturnsAtOnceIfNobodyCame) {
  ThreadPool alone(1);
  Gate gate;
  alone.Invite(gate, 3);
  alone.Dismiss(gate);
  EXPECT_EQ(gate.inside, 0);
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
  pool.Invite(numbers, 3);
  numbers.AwaitInside(3);
  numbers.open = true;
  pool.Dismiss(numbers);
  EXPECT_EQ(numbers.seen, 0b111u);
}

TEST(ThreadPool, SchedulesOnlyOnWorkersThatAreIdle) {
  ThreadPool pool(2);
  Gate gate;
  pool.Invite(gate, 1);
  gate.AwaitInside(1);
  EXPECT_FALSE(pool.TrySchedule([](void*) {}, nullptr));
  gate.open = true;
  pool.Dismiss(gate);
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

// A job that ends when its last piece does, on whatever thread.
struct Pieces : ThreadPool::Job {
  explicit Pieces(ThreadPool& p) : pool(p) {}
  void Help() override {
    joined = true;
    while (left > 0) {
      std::this_thread::yield();
      if (released && --left == 0) pool.Finish(*this);
    }
  }
  ThreadPool& pool;
  void Begin() {
    pool.Invite(*this, 1);
    while (!joined) std::this_thread::yield();
  }
  std::atomic<bool> joined{false};
  std::atomic<bool> released{false};
  std::atomic<int> left{1};
};

TEST(ThreadPool, WhoAwaitsTheEndOfAJobRunsTasksMeanwhile) {
  ThreadPool pool(2);
  Pieces pieces(pool);
  pieces.Begin();
  std::atomic<bool> ran{false};
  std::thread other([&] {
    // The worker is inside: only the thread in AwaitFinish can take the task.
    while (!pool.TrySchedule([](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }, &ran)) {
      std::this_thread::yield();
    }
    while (!ran) std::this_thread::yield();
    pieces.released = true;
  });
  pool.AwaitFinish(pieces);
  pool.Dismiss(pieces);
  other.join();
  EXPECT_TRUE(ran);
}

// The job ends in a task, which runs only if the caller waits: the worker is inside the job.
TEST(ThreadPool, AJobThatIsUsedAgainIsAwaitedAgain) {
  ThreadPool pool(2);
  Pieces pieces(pool);
  for (int use = 0; use < 3; ++use) {
    pieces.left = 1;
    pieces.joined = pieces.released = false;
    pieces.Begin();
    const auto release = [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; };
    std::thread other([&] {
      while (!pieces.released && !pool.TrySchedule(release, &pieces.released)) std::this_thread::yield();
    });
    pool.AwaitFinish(pieces);
    EXPECT_EQ(pieces.left, 0);
    pieces.released = true;
    pool.Dismiss(pieces);
    other.join();
  }
}

TEST(ThreadPool, WhoAwaitsDoesNotJoinAnothersWork) {
  ThreadPool pool(2);
  Pieces pieces(pool);
  Gate gate;
  pieces.Begin();
  std::thread other([&] {
    // Only the thread in AwaitFinish is idle: it takes a task before the invitation and after it.
    for (const int wanted : {0, 2}) {
      pool.Invite(gate, wanted);
      Gate task;
      task.open = true;
      if (!Occupy(pool, task, [&] { return gate.inside > 0; })) break;
      while (!task.left) std::this_thread::yield();
    }
    EXPECT_EQ(gate.inside, 0);
    gate.open = true;
    pieces.released = true;
  });
  pool.AwaitFinish(pieces);
  pool.Dismiss(pieces);
  other.join();
  pool.Dismiss(gate);
}

// As many tasks as there are idle threads run at once, also if the job ends meanwhile.
TEST(ThreadPool, WhoAwaitsRunsItsTaskBeforeItReturns) {
  Gate busy, job;
  ThreadPool pool(2);
  pool.Invite(busy, 1);
  busy.AwaitInside(1);
  std::atomic<bool> ran{true};
  for (int i = 0; i < 100 && ran; ++i) {
    ran = false;
    std::thread other([&] {
      while (!pool.TrySchedule([](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }, &ran)) {
        std::this_thread::yield();
      }
      pool.Finish(job);
    });
    pool.AwaitFinish(job);
    EXPECT_TRUE(ran);
    other.join();
    pool.Dismiss(job);
  }
  busy.open = true;
  pool.Dismiss(busy);
}

// A loop of two blocks that must run at once: its caller has one, and whoever awaits another job the other.
TEST(ThreadPool, WhoAwaitsJoinsALoop) {
  ThreadPool pool(2);
  Pieces pieces(pool);
  pieces.Begin();
  std::thread other([&] {
    std::atomic<int> inside{0};
    const auto block = [](void* count, int64_t, int64_t) -> int32_t {
      auto& here = *static_cast<std::atomic<int>*>(count);
      ++here;
      while (here < 2) std::this_thread::yield();
      return 0;
    };
    EXPECT_EQ(ParallelFor(pool, 2, 1'000'000, block, &inside), 0);
    pieces.released = true;
  });
  pool.AwaitFinish(pieces);
  pool.Dismiss(pieces);
  other.join();
}

void BeBusy(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// Whoever awaits a job sleeps longest, and cannot join another one: the thread that can is woken too.
TEST(ThreadPool, AnInvitationReachesWhoCanJoin) {
  Gate task, gate;
  ThreadPool pool(3);
  Pieces pieces(pool);
  pieces.Begin();
  Occupy(pool, task, [] { return false; });
  task.AwaitInside(1);
  std::thread other([&] {
    BeBusy(std::chrono::microseconds(20000));
    task.open = true;
    BeBusy(std::chrono::microseconds(20000));
    pool.Invite(gate, 1);
    gate.AwaitInside(1);
    gate.open = true;
    pool.Dismiss(gate);
    pieces.released = true;
  });
  pool.AwaitFinish(pieces);
  pool.Dismiss(pieces);
  other.join();
}

// Ends a while after a worker came, when others are about to fall asleep.
struct Late : ThreadPool::Job {
  explicit Late(ThreadPool& the_pool) : pool(the_pool) {}
  void Help() override {
    inside = true;
    BeBusy(delay);
    pool.Finish(*this);
  }
  ThreadPool& pool;
  std::chrono::microseconds delay{};
  std::atomic<bool> inside{false};
};

TEST(ThreadPool, FinishReachesWhoAwaitsWhateverOthersDo) {
  ThreadPool pool(4);
  Late late(pool);
  for (int i = 0; i < 2000; ++i) {
    late.delay = std::chrono::microseconds(i % 500 == 0 ? 20000 : 30 + i % 50);
    late.inside = false;
    pool.Invite(late, 1);
    while (!late.inside) std::this_thread::yield();
    pool.AwaitFinish(late);
    pool.Dismiss(late);
  }
}

TEST(ThreadPool, HasNoWorkersForOneThread) {
  EXPECT_FALSE(ThreadPool(1).TrySchedule([](void*) {}, nullptr));
}

// A mode that one task or one block sets is none of the next one's, on whatever thread.
TEST(ThreadPool, AFloatingPointModeEndsWithItsTask) {
  ThreadPool pool(3);
  struct Seen {
    std::atomic<int> done{0}, odd{0};
  } seen;
  const auto look_and_change = [](void* context) {
    auto& it = *static_cast<Seen*>(context);
    it.odd += std::fegetround() != FE_TONEAREST;
    std::fesetround(FE_UPWARD);
    ++it.done;
  };
  for (int task = 0; task < 50; ++task) {
    while (!pool.TrySchedule(look_and_change, &seen)) std::this_thread::yield();
    while (seen.done <= task) std::this_thread::yield();
  }
  const auto block = [](void* context, int64_t, int64_t) -> int32_t {
    auto& it = *static_cast<Seen*>(context);
    it.odd += std::fegetround() != FE_TONEAREST;
    std::fesetround(FE_UPWARD);
    return 0;
  };
  for (int loop = 0; loop < 50; ++loop) {
    EXPECT_EQ(ParallelFor(pool, 1, 20'000, block, &seen), 0);
    std::fesetround(FE_TONEAREST);  // the calling thread's own, where a loop of one block runs
    EXPECT_EQ(ParallelFor(
                  pool, 8, 20'000, [](void*, int64_t, int64_t) { return int32_t{0}; }, nullptr),
              0);
  }
  while (!pool.TrySchedule(look_and_change, &seen)) std::this_thread::yield();
  while (seen.done <= 50) std::this_thread::yield();
  EXPECT_EQ(seen.odd, 0);
}

// Whoever awaits a job helps with it when more of it becomes known, also if nobody else comes.
TEST(ThreadPool, WhoAwaitsAJobHelpsWithIt) {
  ThreadPool pool(2);
  struct Late : ThreadPool::Job {
    explicit Late(ThreadPool& the_pool) : pool(the_pool) {}
    void Help() override {
      helpers.push_back(std::this_thread::get_id());
      pool.Finish(*this);
    }
    ThreadPool& pool;
    std::vector<std::thread::id> helpers;
  };
  for (int run = 0; run < 20; ++run) {
    Gate busy;
    ASSERT_TRUE(Occupy(pool, busy, [] { return false; }));
    busy.AwaitInside(1);  // the only worker
    Late job(pool);
    pool.Invite(job, 1);
    pool.AwaitFinish(job);
    pool.Dismiss(job);
    EXPECT_EQ(job.helpers, std::vector<std::thread::id>{std::this_thread::get_id()});
    busy.open = true;
    while (!busy.left) std::this_thread::yield();
  }
}

}  // namespace
}  // namespace opsrun::host
