// host/run/run_steps.cc: one run of a lane: the loop over its steps.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "host/run/lane_impl.h"

namespace opsrun::host {
namespace {

uint64_t NextRunId() {
  static std::atomic<uint64_t> runs{0};
  return runs.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

std::optional<RunFailure> Lane::Impl::Run() {
  ResetAll(results);
  failure_.reset();
  const uint64_t run_id = NextRunId();
  for (const LaneStep& step : steps) {
    step.call->run_id = run_id;
    const int32_t code = step.compute(step.object, step.call);
    if (code != OPSRUN_OK) [[unlikely]]
      return Failed(step, code);
    if (step.dynamic == nullptr) [[likely]]
      continue;
    if (!AfterDynamicStep(step)) [[unlikely]] {
      FailForMissingOutput(step);
      return Failed(step, OPSRUN_INTERNAL);
    }
  }
  // A kernel that recorded a failure and answered OK all the same has failed.
  if (failure_) ResetAll(dynamic_views);
  return failure_;
}

// False if the kernel left out an output. Otherwise gives back what nobody reads any more.
bool Lane::Impl::AfterDynamicStep(const LaneStep& step) {
  for (const DynamicView* made : step.dynamic->made) {
    if (!made->allocated()) [[unlikely]]
      return false;
  }
  for (DynamicView* released : step.dynamic->released) {
    pool.Put(released->buffer);
    released->Reset();
  }
  return true;
}

void Lane::Impl::FailForMissingOutput(const LaneStep& step) {
  for (uint32_t i = 0; i < step.call->n_out; ++i) {
    if (step.call->out[i]->rank >= 0) continue;
    const std::string name = OutputName(step.call, i);
    Fail(step.call, OPSRUN_INTERNAL, fmt::format("the kernel returned without allocating its output '{}'", name),
         "output:" + name);
    return;
  }
}

RunFailure Lane::Impl::Failed(const LaneStep& step, int32_t code) {
  ResetAll(dynamic_views);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failure_) return *failure_;
  return {StepOf(step.call), Status(code, fmt::format("the kernel failed with {} and no reason", CodeName(code)))};
}

void Lane::Impl::ResetAll(const std::vector<DynamicView*>& which) {
  for (DynamicView* view : which) Unallocate(view);
}

uint32_t Lane::Impl::StepOf(const opsrun_call* call) const {
  const auto step = std::lower_bound(steps.begin(), steps.end(), call,
                                     [](const LaneStep& s, const opsrun_call* c) { return s.call < c; });
  return static_cast<uint32_t>(step - steps.begin());
}

}  // namespace opsrun::host
