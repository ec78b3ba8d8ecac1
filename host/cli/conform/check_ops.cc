// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "host/base/child.h"
#include "host/base/file.h"
#include "host/cli/conform/conform.h"
#include "host/cli/problem/ended_child.h"
#include "host/show/json_text.h"

namespace opsrun::host {
namespace {

constexpr int kSecondsOfSilence = 15;
constexpr int kMostCrashesOfDraws = 12;
constexpr int kCrashesOfHang = 4;  // it costs as much time
constexpr int kRecords = 3;        // the descriptor that the process writes its lines to

// A process that checks an op, and what it has said so far.
class Process {
 public:
  Process(const std::vector<std::string>& words, const TestOrder& order) {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
    lines_ = Descriptor(ends[0]);
    const Descriptor to_us(ends[1]);
    said_ = Descriptor(memfd_create("opsrun test", MFD_CLOEXEC));
    std::vector<std::string> all = words;
    all.push_back("--order=" + order.Text());
    const GivenFile files[] = {{0, -1}, {1, said_.get()}, {2, said_.get()}, {kRecords, to_us.get()}};
    if (StartProgram(all, files, &pid_) != 0) pid_ = -1;
  }
  Process(const Process&) = delete;

  bool started() const { return pid_ > 0; }
  bool hangs() const { return hangs_; }

  // The next line; nothing at the end, or if the process says nothing for too long, which ends it.
  std::optional<Json> Next() {
    for (;;) {
      const size_t end = text_.find('\n');
      if (end != text_.npos) {
        const Json line = Json::parse(text_.substr(0, end), nullptr, false);
        text_.erase(0, end + 1);
        if (line.is_object()) return line;
        continue;
      }
      pollfd ready = {lines_.get(), POLLIN, 0};
      const int polled = poll(&ready, 1, kSecondsOfSilence * 1000);
      if (polled < 0 && errno == EINTR) continue;
      if (polled == 0) {
        hangs_ = true;
        kill(-pid_, SIGKILL);
        return std::nullopt;
      }
      char bytes[1 << 14];
      const ssize_t got = read(lines_.get(), bytes, sizeof(bytes));
      if (got <= 0) return std::nullopt;
      text_.append(bytes, static_cast<size_t>(got));
    }
  }

  // Waits for its end. Returns what waitpid does.
  int Wait() const {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    return status;
  }
  int said() const { return said_.get(); }

 private:
  pid_t pid_ = -1;
  Descriptor lines_, said_;
  std::string text_;
  bool hangs_ = false;
};

class OpRun {
 public:
  OpRun(const ConformOptions& options, const std::string& op) : options_(options) {
    result_.op = op;
    for (const Check& check : AllChecks()) {
      CheckResult& each = result_.checks.emplace_back();
      each.check = check.name;
      each.message = "it was not reached";
    }
    order_.op = op;
    order_.seed = options.seed;
    order_.one = options.one;
  }

  OpResult Run() {
    const auto begin = std::chrono::steady_clock::now();
    while (RunOnce()) continue;
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(result_);
  }

 private:
  // Returns whether another process has to go on.
  bool RunOnce() {
    Process process(options_.words, order_);
    if (!process.started()) return false;
    current_ = order_.first_check;
    drawing_ = true;
    while (const std::optional<Json> line = process.Next()) Take(*line);
    const int status = process.Wait();
    if (done_ && !process.hangs() && !WIFSIGNALED(status)) return false;
    const bool hangs = process.hangs();
    const std::string why = hangs ? fmt::format("it hangs: no sign of life for {} seconds", kSecondsOfSilence)
                                  : EndText(process.said(), status);
    if (done_) return Set("lifetime", CheckStatus::kCrashed, "after all kernels were destroyed: " + why), false;
    if (hangs) crashes_of_draws_ += kCrashesOfHang;
    return GoOn(hangs ? CheckStatus::kFailed : CheckStatus::kCrashed, why);
  }

  bool GoOn(CheckStatus status, const std::string& why) {
    if (drawing_) {
      if (order_.first_check == 0) Set(AllChecks()[0].name, status, why);
      order_.left_out.push_back(on_.seed);
      order_.first_check = std::max<size_t>(order_.first_check, 1);
      return ++crashes_of_draws_ < kMostCrashesOfDraws;
    }
    Set(AllChecks()[current_].name, status, why);
    order_.failed.emplace_back(AllChecks()[current_].name);
    order_.first_check = current_ + 1;
    return order_.first_check < AllChecks().size();
  }

  void Take(const Json& line) {
    if (line.contains("seed")) {
      on_ = {line.value("seed", uint64_t{0}), line.value("type", ""), line.value("node", "")};
    } else if (line.contains("begin")) {
      current_ = IndexOf(line.value("begin", ""));
      drawing_ = current_ == 0;
      on_ = {};
    } else if (line.contains("problems")) {
      result_.problems = line.value("problems", size_t{0});
      drawing_ = false;
    } else if (line.contains("end")) {
      const auto status = static_cast<CheckStatus>(line.value("status", 0));
      const std::string check = line.value("end", "");
      if (status == CheckStatus::kFailed) order_.failed.push_back(check);
      Set(check, status, line.value("message", ""), line.value("advice", ""));
    }
    done_ = done_ || line.contains("done");
  }

  static size_t IndexOf(std::string_view check) {
    const auto found = std::ranges::find(AllChecks(), check, &Check::name);
    return static_cast<size_t>(found - AllChecks().begin());
  }

  void Set(std::string_view check, CheckStatus status, const std::string& message, const std::string& advice = {}) {
    CheckResult& result = result_.checks[IndexOf(check)];
    result.status = status;
    result.message = message;
    result.advice = advice;
    if (status == CheckStatus::kPassed || status == CheckStatus::kSkipped) return;
    if (advice.empty()) result.advice = AllChecks()[IndexOf(check)].advice;
    result.seed = on_.seed;
    result.type = on_.type;
    result.node = on_.node;
  }

  struct On {
    uint64_t seed = 0;
    std::string type, node;
  };

  const ConformOptions& options_;
  OpResult result_;
  TestOrder order_;
  On on_;  // the problem that the process works on
  size_t current_ = 0;
  bool drawing_ = true, done_ = false;
  int crashes_of_draws_ = 0;
};

}  // namespace

bool OpResult::Failed() const {
  return std::ranges::any_of(checks, [](const CheckResult& each) {
    return each.status == CheckStatus::kFailed || each.status == CheckStatus::kCrashed;
  });
}

std::vector<OpResult> CheckOps(const ConformOptions& options, const std::vector<std::string>& ops) {
  std::vector<OpResult> results(ops.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < ops.size(); i = next++) results[i] = OpRun(options, ops[i]).Run();
  };
  const size_t count = std::min<size_t>(std::max(1U, std::thread::hardware_concurrency()), ops.size());
  std::vector<std::thread> threads;
  for (size_t i = 1; i < count; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return results;
}

}  // namespace opsrun::host
