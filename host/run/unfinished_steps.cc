// host/run/unfinished_steps.cc: steps whose work on a device has not ended when their kernels have returned.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/run/step_loop.h"

namespace opsrun::host {

// Called after a failure too: no work may use the lane's memory afterwards. An error reported now belongs to the first
// step whose kernel did not finish. If the device reported it earlier, while refusing a call for a later step, that
// step is not the one to name. Which results a device has made before it failed is unknown, so there are none then.
void StepLoop::DrainDevices() {
  bool is_named = false;
  for (size_t i = 1; i < memory_.devices().size(); ++i) {
    std::optional<uint32_t> failed;
    const Status status = memory_.devices()[i]->Drain(&failed);
    const bool may_name = failed && !is_named && state_.failure() && state_.failure()->status.code() == OPSRUN_INTERNAL;
    if (status.ok() || (state_.failure() && !may_name && !state_.keep_going())) continue;
    is_named = true;
    const uint32_t step = failed.value_or(static_cast<uint32_t>(steps_.size()) - 1);
    if (!state_.keep_going()) state_.ForgetFailure();
    EndFailed(steps_[step],
              Status(status.code(), fmt::format("its work{} on {} failed: {}", LaterNodes(step), plan_.devices[i].name,
                                                status.message())),
              /*aborts=*/true);
  }
}

// For each device, the first step whose kernel has not finished; later ones wait for it.
std::vector<uint32_t> StepLoop::UnfinishedOnDevices() const {
  std::vector<uint32_t> unfinished;
  for (size_t i = 1; i < memory_.devices().size(); ++i) {
    if (const std::optional<uint32_t> step = memory_.devices()[i]->Unfinished()) unfinished.push_back(*step);
  }
  return unfinished;
}

// When steps were launched as one, the device does not report which of them failed.
std::string StepLoop::LaterNodes(uint32_t step) const {
  const CapturedSteps* const launched = slots_.CapturedOf(steps_[step].call);
  if (launched == nullptr || !launched->is_launched()) return "";
  return fmt::format(", or that of a later node up to '{}' (without CUDA graphs, which of them is known),",
                     slots_.NodeName(steps_[launched->last()].call));
}

}  // namespace opsrun::host
