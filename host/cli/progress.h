// host/cli/progress.h: what a long run shows on a terminal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>

#include "host/base/display_text.h"
#include "host/cli/session.h"

namespace opsrun::host {

// A progress line on standard error, on a terminal: of many runs, how many are done; of one run, which node is running.
// Callers must not call Show and Clear concurrently.
class Progress {
 public:
  Progress(GraphSession& session, const std::atomic<uint32_t>& done, uint32_t total)
      : session_(session), done_(done), total_(total) {}

  bool IsWanted() const { return isatty(STDERR_FILENO) != 0; }

  // Does nothing during the first second.
  void Show() {
    using namespace std::chrono_literals;
    constexpr uint64_t kWidth = 30;
    const auto elapsed = std::chrono::steady_clock::now() - begun_;
    if (elapsed < 1s) return;
    if (total_ == 1) return ShowNode(std::chrono::duration<double>(elapsed).count());
    const uint64_t done = done_.load(std::memory_order_relaxed);
    const double seconds = std::chrono::duration<double>(elapsed).count();
    const uint64_t filled = kWidth * done / total_;
    const std::string left =
        done == 0
            ? ""
            : fmt::format(", {:.0f} s left", seconds * static_cast<double>(total_ - done) / static_cast<double>(done));
    const std::string line =
        fmt::format("\r[{:=<{}}{: <{}}] {} of {} runs{}\x1b[K", "", filled, "", kWidth - filled, done, total_, left);
    Write(line);
  }

  // Removes the line before other output.
  void Clear() {
    if (is_shown_.exchange(false)) std::fputs("\r\x1b[K", stderr);
  }

 private:
  void ShowNode(double seconds) {
    const Plan& plan = session_.plan();
    for (const RunningStep& running : session_.lanes().lanes()[0]->Running()) {
      return Write(fmt::format("\r{:.0f} s, node '{}', step {} of {}\x1b[K", seconds,
                               Printable(plan.NodeOf(plan.steps[running.step]).name.value), running.step + 1,
                               plan.steps.size()));
    }
  }
  void Write(const std::string& line) {
    is_shown_ = true;
    std::fwrite(line.data(), 1, line.size(), stderr);
  }

  GraphSession& session_;
  const std::atomic<uint32_t>& done_;
  const uint32_t total_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::atomic<bool> is_shown_{false};
};

}  // namespace opsrun::host
