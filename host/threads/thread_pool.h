// host/threads/thread_pool.h: the pool of threads that runs of graphs and loops inside kernels share.
//
// Nothing waits in a queue. Work that can be shared is a Job, which is open for a while: idle workers join it, and the
// thread that opened it works too, so it ends even if no worker joins. Therefore, kernels that block on their own tasks
// (as Eigen's device does) do not wait for a thread that is itself blocked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "host/base/plugin_code.h"

namespace opsrun::host {

class ThreadPool {
 public:
  // Every method may be called from any thread; only the pool calls those of Job.
  class Job {
   public:
    Job() = default;
    Job(const Job&) = delete;
    virtual ~Job() = default;

    // Called by idle threads, several at once: works until there is currently nothing to do.
    virtual void Help() = 0;
    // True if Help returns soon whatever other threads do: a thread that waits for another job may then help meanwhile.
    virtual bool IsBrief() const { return false; }

   private:
    friend class ThreadPool;
    int wanted_ = 0;               // threads that may still join
    std::atomic<int> helpers_{0};  // threads inside Help; written under the pool's lock
    bool finished_ = false;
    std::condition_variable left_;
  };

  // `threads` threads in total, 1 or more: the caller's and threads - 1 workers; fewer if the system has no more.
  // begin: called on each worker before it works; may be empty.
  explicit ThreadPool(int threads, std::function<void()> begin = nullptr);
  ThreadPool(const ThreadPool&) = delete;
  ~ThreadPool();  // requires that no job is open

  int threads() const { return static_cast<int>(workers_.size()) + 1; }
  // The calling thread's number among the workers, 0 to threads() - 2; -1 for any other thread.
  int CurrentThread() const;

  // Lets up to `helpers` more idle threads join the job, from now until Dismiss.
  void Invite(Job& job, int helpers);
  // No more threads join. Returns when the threads that joined have left: they complete only what they have started.
  void Dismiss(Job& job);
  // Makes AwaitFinish return, until Dismiss.
  void Finish(Job& job);
  // Until Finish, the caller acts as an idle thread: it joins this job and loops that others share, and runs tasks.
  void AwaitFinish(Job& job);

  // True: an idle thread runs fn(context). False: no thread is idle, and nothing happened.
  bool TrySchedule(void (*fn)(void*), void* context);

 private:
  struct Task {
    void (*fn)(void*);
    void* context;
    const PluginCode* code;  // the call that it is a part of
  };

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

  std::mutex mutex_;        // guards all members below except workers_, and the counts of jobs
  std::deque<Task> tasks_;  // never more than there are idle threads
  std::vector<Job*> jobs_;  // open, some with wanted_ 0
  int idle_ = 0;            // threads that wait, those in AwaitFinish among them
  int awaiting_ = 0;        // threads in AwaitFinish
  int spinning_ = 0;        // idle threads that look for work themselves
  bool stopping_ = false;
  std::atomic<uint32_t> news_{0};  // counts events that idle threads may react to
  std::vector<std::thread> workers_;
};

}  // namespace opsrun::host
