// host/cli/guard/stop_watcher.cc: one thread for the timeout and for signals, which wake it by a semaphore: plugins may
// close descriptors that are not theirs.
// SPDX-License-Identifier: Apache-2.0
#include <semaphore.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <mutex>
#include <utility>

#include "host/cli/guard/guard.h"
#include "host/threads/thread_pool.h"

namespace opsrun::host {
namespace {

using namespace std::chrono_literals;

// Enough for kernels that poll the signal; others may never return.
constexpr auto kGrace = 2s;
// Devices cannot be interrupted. This is enough for the last kernel of a run that is about to end.
constexpr auto kDeviceGrace = 100ms;
constexpr auto kTick = 200ms;
// Signals this close together count as one: timeout(1) sends its signal to the program and to the process group.
constexpr auto kTogether = 100ms;
// To end cleanly after runs that took longer than the timeout.
constexpr auto kToEnd = 2s;
constexpr int kSignals[] = {SIGINT, SIGTERM};

// For the signal handler, which may only post to a semaphore.
sem_t wakes;
std::atomic<int> last_signal{0};

void Wake() {
  sem_post(&wakes);
}

void OnSignal(int number) {
  const int saved = errno;
  last_signal.store(number, std::memory_order_relaxed);
  Wake();
  errno = saved;
}

}  // namespace

struct StopWatcher::State {
  using Clock = std::chrono::steady_clock;

  // Whether somebody woke this thread, in place of the deadline or the next tick.
  bool Wait() {
    Clock::duration until = Clock::now().time_since_epoch();
    {
      const std::lock_guard<std::mutex> lock(mutex);
      until += hooks.tick ? Clock::duration(kTick) : Clock::duration(1h);
      if (deadline) until = std::min(until, deadline->time_since_epoch());
    }
    const auto seconds = std::chrono::floor<std::chrono::seconds>(until);
    const timespec at = {seconds.count(), std::chrono::nanoseconds(until - seconds).count()};
    return sem_clockwait(&wakes, CLOCK_MONOTONIC, &at) == 0;
  }

  // The first request asks the kernels to stop; the second one gives up waiting for them.
  void Stop(int signal) {
    const Clock::time_point now = Clock::now();
    if (cause) {
      if (now >= asked + kTogether) hooks.give_up(*cause);
      return;
    }
    cause = StopCause{signal};
    asked = now;
    if (!hooks.waits) deadline = now + (hooks.can_be_asked() ? kGrace : kDeviceGrace);
    stop->Stop();
  }

  void Watch() {
    for (;;) {
      const bool woken = Wait();
      const std::lock_guard<std::mutex> lock(mutex);
      const int signal = last_signal.exchange(0, std::memory_order_relaxed);
      if (over) return;
      const bool expired = deadline && Clock::now() >= *deadline;
      if (stop == nullptr) {
        if (expired) EndByTimeout(timeout_ms);
      } else if (signal != 0 || expired) {
        Stop(signal);
      } else if (!woken && hooks.tick && (!cause || hooks.waits)) {
        hooks.tick();
      }
    }
  }

  uint64_t timeout_ms = 0;
  struct sigaction before[2] = {};            // previous handlers of SIGINT and SIGTERM while graphs run
  std::mutex mutex;                           // guards the members below
  std::optional<Clock::time_point> deadline;  // the timeout; after a request, for the kernels to stop
  StopSignal* stop = nullptr;                 // null while no graph runs
  Hooks hooks;
  bool over = false;  // the thread must end
  std::optional<StopCause> cause;
  Clock::time_point asked;  // time of the request
};

StopWatcher::StopWatcher(uint64_t timeout_ms) : timeout_ms_(timeout_ms) {
  if (timeout_ms == 0) return;
  constexpr uint64_t kYear = uint64_t{365} * 24 * 3600 * 1000;  // keeps the sum within the clock's range
  timeout_ = State::Clock::now() + std::chrono::milliseconds(std::min(timeout_ms, kYear));
  Start();
}

void StopWatcher::Start() {
  auto state = std::make_shared<State>();
  state->timeout_ms = timeout_ms_;
  state->deadline = timeout_;
  sem_init(&wakes, 0, 0);
  last_signal.store(0, std::memory_order_relaxed);
  std::thread thread = StartThread([state] { state->Watch(); });
  if (!thread.joinable()) return;
  if (timeout_) {
    thread.detach();
  } else {
    thread_ = std::move(thread);
  }
  state_ = std::move(state);
}

void StopWatcher::BeginRuns(StopSignal& stop, Hooks hooks) {
  if (state_ == nullptr) Start();
  if (state_ == nullptr) return;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stop = &stop;
    state_->hooks = std::move(hooks);
  }
  Wake();
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &state_->before[i]);
    // Signals that the parent set to be ignored, as nohup does, stay ignored.
    if (state_->before[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

void StopWatcher::EndRuns() {
  if (state_ == nullptr) return;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    for (size_t i = 0; state_->stop != nullptr && i < std::size(kSignals); ++i) {
      sigaction(kSignals[i], &state_->before[i], nullptr);
    }
    state_->stop = nullptr;
    state_->hooks = {};
    const State::Clock::time_point now = State::Clock::now();
    state_->deadline = timeout_ && *timeout_ <= now ? now + kToEnd : timeout_;
    state_->over = !timeout_;
  }
  Wake();
  if (!thread_.joinable()) return;
  thread_.join();
  state_ = nullptr;
}

std::optional<StopCause> StopWatcher::cause() const {
  if (state_ == nullptr) return std::nullopt;
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->cause;
}

}  // namespace opsrun::host
