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
    job.wanted_ = std::min(job.wanted_ + helpers, static_cast<int>(workers_.size()) - job.helpers_);
    woken = std::min(job.wanted_, idle_);
  }
  for (int i = 0; i < woken; ++i) work_.notify_one();
}

void ThreadPool::Dismiss(Job& job) {
  if (workers_.empty()) return;
  std::unique_lock<std::mutex> lock(mutex_);
  jobs_.erase(std::remove(jobs_.begin(), jobs_.end(), &job), jobs_.end());
  job.wanted_ = 0;
  job.left_.wait(lock, [&] { return job.helpers_ == 0; });
}

// An idle worker takes a task before anything else, so as many tasks as idle workers are sure to run at once.
bool ThreadPool::TrySchedule(void (*fn)(void*), void* context) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (static_cast<size_t>(idle_) <= tasks_.size()) return false;
    tasks_.push_back({fn, context});
  }
  work_.notify_one();
  return true;
}

ThreadPool::Job* ThreadPool::NextJob() const {
  for (Job* job : jobs_) {
    if (job->wanted_ > 0) return job;
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

void ThreadPool::Work(int number) {
  seat = {this, number};
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    ++idle_;
    work_.wait(lock, [this] { return SomethingToDo(); });
    --idle_;
    if (!tasks_.empty()) {
      const Task task = tasks_.front();
      tasks_.pop_front();
      lock.unlock();
      task.fn(task.context);
      lock.lock();
    } else if (Job* job = NextJob()) {
      Join(*job, lock);
    } else if (stopping_) {
      return;
    }
  }
}

}  // namespace opsrun::host
