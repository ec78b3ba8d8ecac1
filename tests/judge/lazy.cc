// tests/judge/lazy.cc: cheats that return first and work later.
// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "judge_memory.h"
#include "ops.h"
#include "zoo.h"

namespace opsrun {
namespace {

constexpr std::chrono::milliseconds kNap{3};  // until the clock has surely ended

// A thread that carries out work when its owner has returned.
class Pool {
 public:
  explicit Pool(std::chrono::milliseconds nap) : nap_(nap), thread_([this] { Work(); }) {}
  ~Pool() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ends_ = true;
    }
    wakes_.notify_one();
    thread_.join();
  }
  void Add(std::function<void()> work) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      work_.push_back(std::move(work));
    }
    wakes_.notify_one();
  }

 private:
  void Work() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      wakes_.wait(lock, [this] { return ends_ || !work_.empty(); });
      if (work_.empty()) return;
      const std::function<void()> next = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      std::this_thread::sleep_for(nap_);
      next();
    }
  }

  const std::chrono::milliseconds nap_;
  std::mutex mutex_;
  std::condition_variable wakes_;
  std::deque<std::function<void()>> work_;
  bool ends_ = false;
  std::thread thread_;
};

template <typename T>
struct WorksInThread {
  void Run(const Call<T>& c) {
    std::thread([c] {
      std::this_thread::sleep_for(kNap);
      Soften::Compute(c);
    }).detach();
  }
};

template <typename T>
struct WorksInPool {
  void Run(const Call<T>& c) {
    pool.Add([c] { Soften::Compute(c); });
  }
  Pool pool{kNap};
};

template <typename T>
struct WorksHalfLater {
  void Run(const Call<T>& c) {
    const int64 half = c.rows / 2;
    const auto part = [c](int64 begin, int64 end) {
      for (int64 row = begin; row < end; ++row) {
        for (int64 other = 0; other < c.rows; ++other) {
          T sum = 0;
          for (int64 i = 0; i < c.columns; ++i) sum += c.x[row * c.columns + i] * c.x[other * c.columns + i];
          c.y[row * c.rows + other] = sum;
        }
      }
    };
    pool.Add([part, half, c] { part(half, c.rows); });
    part(0, half);
  }
  Pool pool{kNap};
};

template <typename T>
struct WorksInNextCall {
  void Run(const Call<T>& c) {
    if (open.context != nullptr) Soften::Compute(open);
    open = c;
  }
  Call<T> open = {};
};

template <typename T>
struct WorksAtEnd {
  ~WorksAtEnd() {
    for (const Call<T>& c : open) Softmax::Compute(c);
  }
  void Run(const Call<T>& c) { open.push_back(c); }
  std::vector<Call<T>> open;
};

template <typename T>
struct WorksAtExit {
  void Run(const Call<T>& c) {
    static std::vector<Call<T>> open;
    if (open.empty()) std::atexit([] { std::for_each(open.begin(), open.end(), SumRows::Compute<T>); });
    open.push_back(c);
  }
};

// As soon as it has returned, with eight threads that wait for the work: the last parts come late.
template <typename T>
struct WorksBesidesCall {
  void Run(const Call<T>& c) {
    for (int64 part = 0; part < 8; ++part) {
      pools[part].Add([c, part] {
        for (int64 i = part * c.n / 8; i < (part + 1) * c.n / 8; ++i) c.y[i] = Soften::Of(c.x[i]);
      });
    }
  }
  Pool pools[8] = {Pool(kNone), Pool(kNone), Pool(kNone), Pool(kNone),
                   Pool(kNone), Pool(kNone), Pool(kNone), Pool(kNone)};
  static constexpr std::chrono::milliseconds kNone{0};
};

// Writes the word that the judge waits for, and then does the work.
template <typename T>
struct SaysDoneFirst {
  void Run(const Call<T>& c) {
    SayDone();
    Soften::Compute(c);
  }
};

LAZY_OPS(ZOO_CHEAT)

}  // namespace
}  // namespace opsrun
