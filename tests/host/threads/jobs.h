// tests/host/threads/jobs.h: jobs, tasks and loops that tests give to a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <thread>

#include "host/threads/thread_pool.h"

namespace opsrun::host {

// ParallelFor of a function that captures.
template <typename Fn>
int32_t Loop(ThreadPool& pool, int64_t n, int64_t cost, Fn fn) {
  return ParallelFor(
      pool, n, cost, [](void* f, int64_t begin, int64_t end) -> int32_t { return (*static_cast<Fn*>(f))(begin, end); },
      &fn);
}

// Has an idle thread run it, once there is one.
inline void Schedule(ThreadPool& pool, void (*run)(void*), void* context) {
  while (!pool.TrySchedule(run, context)) std::this_thread::yield();
}

inline void SetFlag(void* flag) {
  *static_cast<std::atomic<bool>*>(flag) = true;
}

// Has a worker run it, and returns once it has.
template <typename Fn>
void OnWorker(ThreadPool& pool, Fn fn) {
  struct Task {
    Fn& fn;
    std::atomic<bool> done{false};
  } task{fn};
  Schedule(
      pool,
      [](void* context) {
        static_cast<Task*>(context)->fn();
        static_cast<Task*>(context)->done = true;
      },
      &task);
  while (!task.done) std::this_thread::yield();
}

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
  void Fill(ThreadPool& pool, int n) {
    pool.Invite(*this, n);
    AwaitInside(n);
  }
  void End(ThreadPool& pool) {
    open = true;
    pool.Dismiss(*this);
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

// Runs it on a thread of its own, while this one awaits a job that a worker is inside of.
template <typename Run>
void WhileOneAwaits(ThreadPool& pool, Run run) {
  Pieces pieces(pool);
  pieces.Begin();
  std::thread other([&] {
    run();
    pieces.released = true;
  });
  pool.AwaitFinish(pieces);
  pool.Dismiss(pieces);
  other.join();
}

}  // namespace opsrun::host
