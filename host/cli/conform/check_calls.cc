// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "host/cli/conform/checks.h"
#include "host/cli/conform/handles.h"
#include "host/cli/gradcheck/gradcheck.h"

namespace opsrun::host {
namespace {

constexpr int kThreads = 16, kCallsOfThread = 10, kCallsOnObject = 4;
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

// What a call returned, as bytes that can be sorted.
std::string BytesOf(const Outcome& outcome) {
  std::string bytes = fmt::format("{} ", outcome.code);
  for (const Tensor& output : outcome.outputs) {
    if (HasHandles(output.dtype())) continue;
    bytes += ShapeText(output.shape());
    for (int64_t i = 0; i < output.num_elements(); ++i) bytes += ElementText(output, i) + " ";
  }
  return bytes;
}

// Equal calls on one object have the same results in any order, but each has its own: so those of calls at once are
// those of calls one after the other.
std::string WhyNotOneObject(const Tested& tested, const Problem& problem) {
  std::vector<std::string> results[2];
  for (const int threads : {1, kThreads}) {
    std::vector<HandleMaker::Made> made;
    const Result<CallInputs> call = WithHandles(tested.host, problem.call, made);
    if (!call.ok()) return call.status().message();
    std::mutex mutex;
    std::vector<std::string>& all = results[threads > 1];
    const auto work = [&] {
      for (int i = 0; i < kThreads * kCallsOnObject / threads; ++i) {
        std::string bytes = BytesOf(tested.host.Call(*call, {}));
        const std::lock_guard<std::mutex> lock(mutex);
        all.push_back(std::move(bytes));
      }
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread& thread : others) thread.join();
    std::ranges::sort(all);
  }
  if (results[0] == results[1]) return {};
  return fmt::format("{} calls on one object have other results on {} threads than one after the other",
                     kThreads * kCallsOnObject, kThreads);
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
    if (!problem.call.makers.empty()) return WhyNotOneObject(tested, problem);
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
      const std::shared_ptr<const KernelObject> kernel = problem.op->MakeKernel({}, ignored, &source);
      made = kernel != nullptr && made;
      if (kernel == nullptr) return;
      CallInputs call = problem.call;
      call.kernel = kernel.get();
      tested.host.Call(call, {});
    });
    if (!made) return fmt::format("one of {} kernel objects could not be created", kObjects);
    return bytes < 8 ? "" : fmt::format("each of {} kernel objects left {} bytes that nobody frees", kObjects, bytes);
  });
}

}  // namespace opsrun::host
