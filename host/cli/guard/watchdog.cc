// host/cli/guard/watchdog.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/guard/watchdog.h"

#include <algorithm>

#include "host/cli/guard/crash_report.h"
#include "host/threads/start_thread.h"

namespace opsrun::host {
namespace {

constexpr std::chrono::seconds kToEnd{2};

}  // namespace

Watchdog::Watchdog(uint64_t timeout_ms) : timeout_ms_(timeout_ms) {
  if (timeout_ms == 0) return;
  constexpr uint64_t kYear = uint64_t{365} * 24 * 3600 * 1000;  // the clock has an end
  end_ = deadline_ = Clock::now() + std::chrono::milliseconds(std::min(timeout_ms, kYear));
  thread_ = StartThread([this] { Watch(); });
}

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::Suspend() {
  const std::lock_guard<std::mutex> lock(mutex_);
  end_.reset();
  changed_.notify_one();
}

void Watchdog::Resume() {
  if (!deadline_) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  const Clock::time_point now = Clock::now();
  end_ = now < *deadline_ ? *deadline_ : now + kToEnd;
  changed_.notify_one();
}

void Watchdog::Watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!over_) {
    if (!end_) {
      changed_.wait(lock);
    } else if (Clock::now() >= *end_) {
      EndByTimeout(timeout_ms_);
    } else {
      changed_.wait_until(lock, *end_);
    }
  }
}

}  // namespace opsrun::host
