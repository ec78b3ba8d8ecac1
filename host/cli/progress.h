// host/cli/progress.h: how far many runs have come, on one line of a terminal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace opsrun::host {

// On standard error, if that is a terminal and there is more than one run. Show and Clear exclude each other.
class Progress {
 public:
  Progress(const std::atomic<uint32_t>& done, uint32_t total);

  bool IsWanted() const { return is_wanted_; }
  void Show();   // from the second second on
  void Clear();  // for good: what follows is no progress

 private:
  const std::atomic<uint32_t>& done_;
  const uint32_t total_;
  const bool is_wanted_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::atomic<bool> is_shown_{false};
};

}  // namespace opsrun::host
