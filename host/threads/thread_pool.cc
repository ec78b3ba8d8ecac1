// host/threads/thread_pool.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/threads/thread_pool.h"

#include <algorithm>

namespace opsrun::host {
namespace {

// Which pool the calling thread works for, and as whom.
struct Seat {
  const ThreadPool* pool = nullptr;
  int number = -1;
};
thread_local Seat seat;

}  // namespace

ThreadPool::ThreadPool(int threads) {
  for (int i = 0; i + 1 < threads; ++i) workers_.emplace_back(&ThreadPool::Work, this, i);
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

int ThreadPool::CurrentThread() const {
  return seat.pool == this ? seat.number : -1;
}

void ThreadPool::Invite(Job& job, int helpers) {
  if (workers_.empty() || helpers <= 0) return;
  int woken = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::find(jobs_.begin(), jobs_.end(), &job) == jobs_.end()) jobs_.push_back(&job);
    job.wanted_ = std::min(job.wanted_ + helpers, threads() - job.helpers_);
    // Who awaits another job cannot join this one, and must not be the only one who is woken.
    woken = awaiting_ > 0 ? idle_ : std::min(job.wanted_, idle_);
  }
  for (int i = 0; i < woken; ++i) work_.notify_one();
}

void ThreadPool::Dismiss(Job& job) {
  if (workers_.empty()) return;
  std::unique_lock<std::mutex> lock(mutex_);
  jobs_.erase(std::remove(jobs_.begin(), jobs_.end(), &job), jobs_.end());
  job.wanted_ = 0;
  job.left_.wait(lock, [&] { return job.helpers_ == 0; });
  job.finished_ = false;
}

void ThreadPool::Finish(Job& job) {
  if (workers_.empty()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    job.finished_ = true;
  }
  work_.notify_all();
}

void ThreadPool::AwaitFinish(Job& job) {
  std::unique_lock<std::mutex> lock(mutex_);
  ++awaiting_;
  while (Idle(lock, &job)) {
  }
  --awaiting_;
}

// An idle thread takes a task before anything else, so as many tasks as idle threads are sure to run at once.
bool ThreadPool::TrySchedule(void (*fn)(void*), void* context) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (static_cast<size_t>(idle_) <= tasks_.size()) return false;
    tasks_.push_back({fn, context});
  }
  work_.notify_one();
  return true;
}

ThreadPool::Job* ThreadPool::NextJob(const Job* awaited) const {
  for (Job* job : jobs_) {
    if (job->wanted_ > 0 && (awaited == nullptr || job == awaited || job->IsBrief())) return job;
  }
  return nullptr;
}

void ThreadPool::Join(Job& job, std::unique_lock<std::mutex>& lock) {
  --job.wanted_;
  ++job.helpers_;
  lock.unlock();
  job.Help();
  lock.lock();
  if (--job.helpers_ == 0) job.left_.notify_all();
}

void ThreadPool::RunTask(std::unique_lock<std::mutex>& lock) {
  const Task task = tasks_.front();
  tasks_.pop_front();
  lock.unlock();
  task.fn(task.context);
  lock.lock();
}

// Waits for something to do and does it; false if there will be nothing any more.
bool ThreadPool::Idle(std::unique_lock<std::mutex>& lock, const Job* awaited) {
  ++idle_;
  work_.wait(lock, [&] { return !tasks_.empty() || NextJob(awaited) != nullptr || IsOver(awaited); });
  --idle_;
  // Tasks first: each was promised to an idle thread.
  if (!tasks_.empty()) {
    RunTask(lock);
    return true;
  }
  if (IsOver(awaited)) return false;
  if (Job* job = NextJob(awaited)) Join(*job, lock);
  return true;
}

void ThreadPool::Work(int number) {
  seat = {this, number};
  std::unique_lock<std::mutex> lock(mutex_);
  while (Idle(lock, nullptr)) {
  }
}

}  // namespace opsrun::host
