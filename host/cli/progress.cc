// host/cli/progress.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace opsrun::host {

Progress::Progress(const std::atomic<uint32_t>& done, uint32_t total)
    : done_(done), total_(total), is_wanted_(total > 1 && isatty(STDERR_FILENO) != 0) {}

void Progress::Show() {
  using namespace std::chrono_literals;
  constexpr uint64_t kWidth = 30;
  const auto elapsed = std::chrono::steady_clock::now() - begun_;
  if (elapsed < 1s) return;
  const uint64_t done = done_.load(std::memory_order_relaxed);
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const uint64_t filled = kWidth * done / total_;
  const std::string left =
      done == 0
          ? ""
          : fmt::format(", {:.0f} s left", seconds * static_cast<double>(total_ - done) / static_cast<double>(done));
  is_shown_ = true;
  const std::string line =
      fmt::format("\r[{:=<{}}{: <{}}] {} of {} runs{}\x1b[K", "", filled, "", kWidth - filled, done, total_, left);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Progress::Clear() {
  if (is_shown_.exchange(false)) std::fputs("\r\x1b[K", stderr);
}

}  // namespace opsrun::host
