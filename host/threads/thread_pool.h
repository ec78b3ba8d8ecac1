// host/threads/thread_pool.h: threads that run kernels, and the pool of them for runs of graphs and for loops inside
// kernels.
//
// There is no queue of waiting work. Work that can be shared is a Job: while it is open, idle workers join it. The
// thread that opened it works too, so the job ends even if no worker joins. Therefore, kernels that block on their own
// tasks (as Eigen's device does) never wait for a thread that is itself blocked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "host/base/plugin_code.h"

namespace opsrun::host {

// Runs `fn` on a new thread that blocks all signals except those caused by faults: other signals are for the program's
// own threads. The result is not joinable if the system has no more threads, or no memory for a stack.
template <typename Fn>
std::thread StartThread(Fn fn) {
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);  // inherited
  std::thread thread;
  try {
    thread = std::thread(std::move(fn));
  } catch (const std::system_error&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

// How many processors this process may use: the minimum of its affinity mask and the CPU quotas of its control groups,
// rounded up; at least 1. `root` is a prefix for /proc and /sys, "" for the real ones.
int AvailableCpus(const std::string& root = "");

class ThreadPool {
 public:
  // Thread-safe. Only the pool calls the methods of Job.
  class Job {
   public:
    Job() = default;
    Job(const Job&) = delete;
    virtual ~Job() = default;

    // Called by idle threads, possibly several at once: works until there is nothing to do at the moment.
    virtual void Help() = 0;
    // True if Help returns soon regardless of other threads. A thread that waits for another job may then help.
    virtual bool IsBrief() const { return false; }

   private:
    friend class ThreadPool;
    int wanted_ = 0;               // threads that may still join
    int invited_on_ = -1;          // the processor of the thread that invited them
    std::atomic<int> helpers_{0};  // threads inside Help; written under the pool's lock
    bool finished_ = false;
    std::condition_variable left_;
  };

  // Starts threads - 1 workers, fewer if the system has no more; with the caller's thread there are `threads` in total,
  // at least 1. begin: called on each worker before it works; may be empty.
  explicit ThreadPool(int threads, std::function<void()> begin = nullptr);
  ThreadPool(const ThreadPool&) = delete;
  ~ThreadPool();  // requires: no job is open

  // 1 in a child of fork, which has none of the workers: all functions may be called there, and nothing joins.
  int threads() const { return HasWorkers() ? static_cast<int>(workers_.size()) + 1 : 1; }
  // How many idle threads would join a job at once, because they have not fallen asleep yet.
  int watching() const { return HasWorkers() ? spinning_.load(std::memory_order_relaxed) : 0; }
  // The calling thread's index among the workers, 0 to threads() - 2; -1 for other threads.
  int CurrentThread() const;

  // Allows up to `helpers` more idle threads to join the job, until Dismiss.
  void Invite(Job& job, int helpers);
  // No more threads join. Waits until those that joined have finished the work that they have started.
  void Dismiss(Job& job);
  // Makes AwaitFinish return, until Dismiss.
  void Finish(Job& job);
  // Until Finish, the caller acts as an idle thread: it joins this job and brief jobs, and runs tasks.
  void AwaitFinish(Job& job);

  // Returns true if an idle thread will run fn(context), false if no thread is idle.
  bool TrySchedule(void (*fn)(void*), void* context);

 private:
  struct Task {
    void (*fn)(void*);
    void* context;
    const PluginCode* code;  // the call that it belongs to
  };

  bool HasWorkers() const;
  void Work(int number);
  bool Idle(std::unique_lock<std::mutex>& lock, const Job* awaited);
  bool HasWork(const Job* awaited) const;
  void Spin(std::unique_lock<std::mutex>& lock);
  void Sleep(std::unique_lock<std::mutex>& lock);
  void Wake(int threads, int asleep);
  bool IsOver(const Job* awaited) const { return awaited == nullptr ? stopping_ : awaited->finished_; }
  Job* NextJob(const Job* awaited) const;
  void Join(Job& job, std::unique_lock<std::mutex>& lock);
  void RunTask(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;              // guards all members below except workers_, and the counts of jobs
  std::deque<Task> tasks_;        // never more than idle threads
  std::vector<Job*> jobs_;        // open; wanted_ of some may be 0
  int idle_ = 0;                  // waiting threads, including those in AwaitFinish
  int awaiting_ = 0;              // threads in AwaitFinish
  std::atomic<int> spinning_{0};  // idle threads that poll for work; written under the lock
  bool stopping_ = false;
  std::atomic<uint32_t> news_{0};  // counts events that idle threads may react to
  std::vector<std::thread> workers_;
  uint32_t born_ = 0;  // the forks that had led to the process in which the workers are
};

// While it lives, the loops of the thread that made it stay on that thread.
class LoopsOnOneThread {
 public:
  LoopsOnOneThread();
  LoopsOnOneThread(const LoopsOnOneThread&) = delete;
  ~LoopsOnOneThread();

 private:
  const bool before_;
};

// Handles the indices [begin, end); returns 0 or an error code.
using RangeFn = int32_t (*)(void* context, int64_t begin, int64_t end);

// Calls fn for blocks that cover [0, n) exactly once and are large enough for a thread; unit_cost_ns is the approximate
// time per index. The caller works too. Loops inside a block run on its thread only. After a failure, no further block
// is started; the result is the first nonzero code.
int32_t ParallelFor(ThreadPool& pool, int64_t n, int64_t unit_cost_ns, RangeFn fn, void* context);

}  // namespace opsrun::host
