// opsrun_compat/threadpool.h: thread::ThreadPool with the plugin's own threads, in addition to the host's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel_context.h"
#include "opsrun_compat/basics.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Options of Env::StartThread. They are ignored; the system's defaults are used.
struct ThreadOptions {
  size_t stack_size = 0, guard_size = 0;
  int numa_node = -1;
};

namespace internal {

// A fixed number of threads with one queue. The destructor waits for all tasks.
class ThreadQueue final : public OwnThreads {
 public:
  explicit ThreadQueue(int size) {
    for (int i = 0; i < (size < 1 ? 1 : size); ++i) threads_.emplace_back([this, i] { Work(i); });
  }
  ~ThreadQueue() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  int size() const override { return static_cast<int>(threads_.size()); }
  int CurrentThread() const override { return Current().first == this ? Current().second : -1; }
  void Schedule(void (*run)(void*), void* task) override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      tasks_.push_back({run, task});
    }
    changed_.notify_one();
  }

  void ParallelFor(int64 total, int64 /*cost*/, void (*range)(void*, int64, int64), void* ctx) override {
    Loop loop(total, (total - 1) / (int64{4} * size()) + 1, range, ctx);
    // The caller works too, so a busy pool delays only the end of the loop, which waits for all helpers.
    const int64 blocks = (total - 1) / loop.block + 1;
    const int helpers = static_cast<int>(blocks - 1 < size() ? blocks - 1 : size());
    loop.helpers = CurrentThread() >= 0 ? 0 : helpers;
    for (int i = loop.helpers; i > 0; --i) Schedule(&Loop::Help, &loop);
    loop.Take();
    loop.WaitForHelpers();
    if (loop.failure) std::rethrow_exception(loop.failure);
  }

 private:
  struct Loop {
    Loop(int64 n, int64 per_block, void (*fn)(void*, int64, int64), void* of_fn)
        : total(n), block(per_block), range(fn), ctx(of_fn) {}

    const int64 total, block;
    void (*const range)(void*, int64, int64);
    void* const ctx;
    std::atomic<int64> next{0};
    std::mutex mutex;
    std::condition_variable done;
    int helpers = 0;
    std::exception_ptr failure;

    void Take() {
      for (int64 begin = next.fetch_add(block); begin < total; begin = next.fetch_add(block)) {
        try {
          range(ctx, begin, total - begin < block ? total : begin + block);
        } catch (...) {
          const std::lock_guard<std::mutex> lock(mutex);
          if (!failure) failure = std::current_exception();
          next = total;
        }
      }
    }
    static void Help(void* self) {
      Loop& loop = *static_cast<Loop*>(self);
      loop.Take();
      const std::lock_guard<std::mutex> lock(loop.mutex);
      if (--loop.helpers == 0) loop.done.notify_all();
    }
    void WaitForHelpers() {
      std::unique_lock<std::mutex> lock(mutex);
      done.wait(lock, [this] { return helpers == 0; });
    }
  };

  static std::pair<const ThreadQueue*, int>& Current() {
    thread_local std::pair<const ThreadQueue*, int> current{nullptr, -1};
    return current;
  }
  void Work(int i) {
    Current() = {this, i};
    for (std::unique_lock<std::mutex> lock(mutex_);;) {
      changed_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const auto task = tasks_.front();
      tasks_.pop_front();
      lock.unlock();
      task.first(task.second);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<void (*)(void*), void*>> tasks_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace internal

namespace thread {

inline ThreadPool::ThreadPool(Env*, const std::string&, int num_threads)
    : own_(new internal::ThreadQueue(num_threads)) {}
inline ThreadPool::ThreadPool(Env*, const ThreadOptions&, const std::string&, int num_threads, bool)
    : own_(new internal::ThreadQueue(num_threads)) {}

}  // namespace thread
}  // namespace OPSRUN_HIDDEN
