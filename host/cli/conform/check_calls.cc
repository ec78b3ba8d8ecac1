// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "host/cli/conform/checks.h"
#include "host/cli/gradcheck/gradcheck.h"

namespace opsrun::host {
namespace {

constexpr int kThreads = 16, kCallsOfThread = 10;
constexpr int kCalls = 300, kObjects = 1000, kFirst = 50, kProblemsForLeaks = 4;

// Bytes that malloc has given out; 0 where another allocator replaces it, such as that of a sanitizer.
size_t BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

Flaw NotCounted() {
  return {"the allocator of this program does not count bytes, as that of a sanitizer", nullptr, true};
}

// How many bytes each repetition leaves behind. The first ones fill caches, and what happens once is not a leak.
template <typename Fn>
size_t LeakOf(int times, const Fn& fn) {
  for (int i = 0; i < kFirst; ++i) fn();
  const size_t before = BytesInUse();
  for (int i = 0; i < times; ++i) fn();
  const size_t after = BytesInUse();
  return after <= before ? 0 : (after - before) / static_cast<size_t>(times);
}

// The same call with the elements of its floating-point inputs in reverse order, so that calls that disturb each other
// have other results.
CallInputs WithOtherValues(const CallInputs& call) {
  CallInputs others = call;
  for (Tensor& input : others.inputs) {
    if (!HasGradient(input.dtype())) continue;
    std::vector<double> parts = RealParts(input);
    std::ranges::reverse(parts);
    const Result<Tensor> reversed = FromRealParts(input.dtype(), input.shape(), parts);
    if (reversed.ok()) input = *reversed;
  }
  return others;
}

}  // namespace

std::optional<Flaw> CheckRepeat(const Tested& tested) {
  for (int i = 0; i < 3; ++i) {
    if (std::optional<Flaw> found = Same(tested, {}, "in another call of the same kernel object")) return found;
  }
  return std::nullopt;
}

std::optional<Flaw> CheckLoops(const Tested& tested) {
  using Loops = Arrangement::Loops;
  std::optional<Flaw> found = Same(tested, {.loops = Loops::kCut}, "with loops in small parts, the last first", false);
  if (found) return found;
  return Same(tested, {.loops = Loops::kThreads}, "with loops on four threads", false);
}

std::optional<Flaw> CheckThreads(const Tested& tested) {
  return ForEach(tested, [&](const Problem& problem) {
    std::mutex mutex;
    std::string first;
    const CallInputs others = WithOtherValues(problem.call);
    const Outcome of_others = tested.host.Call(others, {});
    const auto call = [&](bool other) {
      const std::vector<Tensor>& expected = other ? of_others.outputs : problem.expected;
      for (int i = 0; i < kCallsOfThread; ++i) {
        const Outcome outcome = tested.host.Call(other ? others : problem.call, {});
        const std::string why = outcome.ok() ? Difference(problem, outcome.outputs, expected, true) : Failed(outcome);
        const std::lock_guard<std::mutex> lock(mutex);
        if (first.empty() && !why.empty())
          first = fmt::format("with {} threads in one kernel object: {}", kThreads, why);
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(call, i % 2 == 1 && of_others.ok());
    for (std::thread& thread : threads) thread.join();
    return first;
  });
}

std::optional<Flaw> CheckState(const Tested& tested) {
  return ForEach(tested, [&](const Problem& problem) -> std::string {
    const Outcome outcome = tested.host.Call(problem.call, {});
    if (outcome.changed_state.empty()) return {};
    return fmt::format("the kernel left {} changed on the thread that called it", outcome.changed_state);
  });
}

std::optional<Flaw> CheckCancel(const Tested& tested) {
  return ForEach(tested, [&](const Problem& problem) -> std::string {
    for (const int64_t after : {0, 1}) {
      const Outcome outcome = tested.host.Call(problem.call, {.cancelled_after = after});
      if (outcome.code == OPSRUN_CANCELLED) continue;
      if (!outcome.ok()) return fmt::format("the run was cancelled, expected CANCELLED: {}", Failed(outcome));
      const std::string difference = Difference(problem, outcome.outputs, problem.expected, true);
      if (!difference.empty())
        return fmt::format("the run was cancelled, and the kernel returned OPSRUN_OK with incomplete results: {}",
                           difference);
    }
    return {};
  });
}

std::optional<Flaw> CheckLeaks(const Tested& tested) {
  if (BytesInUse() == 0) return NotCounted();
  const int64_t held = tested.host.held();
  int problems = 0;
  return ForEach(tested, [&](const Problem& problem) -> std::string {
    if (++problems > kProblemsForLeaks) return {};
    const size_t bytes = LeakOf(kCalls, [&] { tested.host.Call(problem.call, {}); });
    if (const int64_t more = tested.host.held() - held; more >= kCalls) {
      return fmt::format("{} calls left {} tensors that nobody releases", kCalls + kFirst, more);
    }
    return bytes < 8 ? "" : fmt::format("each of {} calls left {} bytes that nobody frees", kCalls, bytes);
  });
}

std::optional<Flaw> CheckLifetime(const Tested& tested) {
  if (BytesInUse() == 0) return NotCounted();
  bool first = true;
  return ForEach(tested, [&](const Problem& problem) -> std::string {
    if (!std::exchange(first, false)) return {};
    bool made = true;
    const size_t bytes = LeakOf(kObjects, [&] {
      Diagnostics ignored;
      std::shared_ptr<const SourceFile> source;
      made = problem.op->MakeKernel({}, ignored, &source) != nullptr && made;
    });
    if (!made) return fmt::format("one of {} kernel objects could not be created", kObjects);
    return bytes < 8 ? "" : fmt::format("each of {} kernel objects left {} bytes that nobody frees", kObjects, bytes);
  });
}

}  // namespace opsrun::host
