// host/cli/guard/watchdog.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/guard/watchdog.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "host/cli/guard/crash_report.h"
#include "host/threads/start_thread.h"

namespace opsrun::host {
namespace {

constexpr std::chrono::seconds kToEnd{2};

}  // namespace

struct Watchdog::State {
  void Watch() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      if (!end) {
        changed.wait(lock);
      } else if (Clock::now() >= *end) {
        EndByTimeout(timeout_ms);
      } else {
        changed.wait_until(lock, *end);
      }
    }
  }

  uint64_t timeout_ms = 0;
  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  std::optional<Clock::time_point> end;  // nothing while suspended
};

Watchdog::Watchdog(uint64_t timeout_ms) {
  if (timeout_ms == 0) return;
  constexpr uint64_t kYear = uint64_t{365} * 24 * 3600 * 1000;  // the clock has an end
  deadline_ = Clock::now() + std::chrono::milliseconds(std::min(timeout_ms, kYear));
  auto state = std::make_shared<State>();
  state->timeout_ms = timeout_ms;
  state->end = deadline_;
  std::thread thread = StartThread([state] { state->Watch(); });
  if (!thread.joinable()) return;
  thread.detach();
  state_ = std::move(state);
}

Watchdog::~Watchdog() {
  Resume();
}

void Watchdog::Suspend() {
  if (state_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->end.reset();
  state_->changed.notify_one();
}

void Watchdog::Resume() {
  if (state_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(state_->mutex);
  const Clock::time_point now = Clock::now();
  state_->end = now < *deadline_ ? *deadline_ : now + kToEnd;
  state_->changed.notify_one();
}

}  // namespace opsrun::host
