// host/cli/progress.h: what a long run shows on a terminal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>

#include "host/base/display_text.h"
#include "host/cli/session.h"

namespace opsrun::host {

// A line on standard error, if that is a terminal. Callers must not call Show and Clear concurrently.
class ProgressBar {
 public:
  bool IsWanted() const { return isatty(STDERR_FILENO) != 0; }

  // "[====    ] 5 of 10 runs, 3 s left", and `more`.
  void Show(size_t done, size_t total, double seconds, const char* what, const std::string& more = "") {
    constexpr size_t kWidth = 30;
    const size_t filled = kWidth * done / std::max<size_t>(total, 1);
    const std::string left =
        done == 0
            ? ""
            : fmt::format(", {:.0f} s left", seconds * static_cast<double>(total - done) / static_cast<double>(done));
    Write(fmt::format("\r[{:=<{}}{: <{}}] {} of {} {}{}{}\x1b[K", "", filled, "", kWidth - filled, done, total, what,
                      left, more));
  }
  void Write(const std::string& line) {
    is_shown_ = true;
    std::fwrite(line.data(), 1, line.size(), stderr);
  }
  // Removes the line before other output.
  void Clear() {
    if (is_shown_.exchange(false)) std::fputs("\r\x1b[K", stderr);
  }

 private:
  std::atomic<bool> is_shown_{false};
};

// Of many runs, how many are done; of one run, which node is running.
class Progress {
 public:
  Progress(GraphSession& session, const std::atomic<uint32_t>& done, uint32_t total)
      : session_(session), done_(done), total_(total) {}

  bool IsWanted() const { return bar_.IsWanted(); }
  void Clear() { bar_.Clear(); }

  // Does nothing during the first second.
  void Show() {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
    if (seconds < 1) return;
    if (total_ == 1) return ShowNode(seconds);
    bar_.Show(done_.load(std::memory_order_relaxed), total_, seconds, "runs");
  }

 private:
  void ShowNode(double seconds) {
    const Plan& plan = session_.plan();
    for (const RunningStep& running : session_.lanes().lanes()[0]->Running()) {
      return bar_.Write(fmt::format("\r{:.0f} s, node '{}', step {} of {}\x1b[K", seconds,
                                    Printable(plan.NodeName(plan.steps[running.step])), running.step + 1,
                                    plan.steps.size()));
    }
  }

  GraphSession& session_;
  const std::atomic<uint32_t>& done_;
  const uint32_t total_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  ProgressBar bar_;
};

}  // namespace opsrun::host
