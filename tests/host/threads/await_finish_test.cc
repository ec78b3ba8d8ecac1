// tests/host/threads/await_finish_test.cc: what a thread does that awaits the end of a job.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>

#include "tests/host/threads/jobs.h"

namespace opsrun::host {
namespace {

TEST(AwaitFinish, RunsTasksMeanwhile) {
  ThreadPool pool(2);
  std::atomic<bool> ran{false};
  WhileOneAwaits(pool, [&] {
    Schedule(pool, SetFlag, &ran);  // the worker is inside: only the thread in AwaitFinish can take the task
    while (!ran) std::this_thread::yield();
  });
  EXPECT_TRUE(ran);
}

// The job ends in a task, which runs only if the caller waits: the worker is inside the job.
TEST(AwaitFinish, AJobThatIsUsedAgainIsAwaitedAgain) {
  ThreadPool pool(2);
  Pieces pieces(pool);
  for (int use = 0; use < 3; ++use) {
    pieces.left = 1;
    pieces.joined = pieces.released = false;
    pieces.Begin();
    std::thread other([&] {
      while (!pieces.released && !pool.TrySchedule(SetFlag, &pieces.released)) std::this_thread::yield();
    });
    pool.AwaitFinish(pieces);
    EXPECT_EQ(pieces.left, 0);
    pieces.released = true;
    pool.Dismiss(pieces);
    other.join();
  }
}

TEST(AwaitFinish, DoesNotJoinAnothersWork) {
  ThreadPool pool(2);
  Gate gate;
  WhileOneAwaits(pool, [&] {
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
  });
  pool.Dismiss(gate);
}

// As many tasks as there are idle threads run at once, also if the job ends meanwhile.
TEST(AwaitFinish, RunsItsTaskBeforeItReturns) {
  Gate busy, job;
  ThreadPool pool(2);
  busy.Fill(pool, 1);
  std::atomic<bool> ran{true};
  for (int i = 0; i < 100 && ran; ++i) {
    ran = false;
    std::thread other([&] {
      Schedule(pool, SetFlag, &ran);
      pool.Finish(job);
    });
    pool.AwaitFinish(job);
    EXPECT_TRUE(ran);
    other.join();
    pool.Dismiss(job);
  }
  busy.End(pool);
}

// A loop of two blocks that must run at once: its caller has one, and whoever awaits another job the other.
TEST(AwaitFinish, JoinsALoop) {
  ThreadPool pool(2);
  WhileOneAwaits(pool, [&] {
    std::atomic<int> inside{0};
    const auto block = [&](int64_t, int64_t) {
      ++inside;
      while (inside < 2) std::this_thread::yield();
      return 0;
    };
    EXPECT_EQ(Loop(pool, 2, 1'000'000, block), 0);
  });
}

void BeBusy(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// Whoever awaits a job sleeps longest, and cannot join another one: the thread that can is woken too.
TEST(AwaitFinish, AnInvitationReachesWhoCanJoin) {
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
    gate.Fill(pool, 1);
    gate.End(pool);
    pieces.released = true;
  });
  pool.AwaitFinish(pieces);
  pool.Dismiss(pieces);
  other.join();
}

// Ends a while after somebody came, when others are about to fall asleep.
struct Late : ThreadPool::Job {
  explicit Late(ThreadPool& the_pool) : pool(the_pool) {}
  void Help() override {
    helper = std::this_thread::get_id();
    inside = true;
    BeBusy(delay);
    pool.Finish(*this);
  }
  ThreadPool& pool;
  std::chrono::microseconds delay{};
  std::thread::id helper;  // the last one
  std::atomic<bool> inside{false};
};

TEST(AwaitFinish, IsReachedWhateverOthersDo) {
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

// Whoever awaits a job helps with it when more of it becomes known, also if nobody else comes.
TEST(AwaitFinish, HelpsWithItsJob) {
  ThreadPool pool(2);
  for (int run = 0; run < 20; ++run) {
    Gate busy;
    ASSERT_TRUE(Occupy(pool, busy, [] { return false; }));
    busy.AwaitInside(1);  // the only worker
    Late job(pool);
    pool.Invite(job, 1);
    pool.AwaitFinish(job);
    pool.Dismiss(job);
    EXPECT_EQ(job.helper, std::this_thread::get_id());
    busy.open = true;
    while (!busy.left) std::this_thread::yield();
  }
}

}  // namespace
}  // namespace opsrun::host
