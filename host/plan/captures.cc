// host/plan/captures.cc: consecutive steps that a device can run as a whole.
//
// In CUDA this is a graph: the work that the kernels enqueue is captured once, and later runs launch it without calling
// the kernels. So all that the kernels saw must stay the same: addresses of tensors in device memory, and values of
// tensors that they read in CPU memory.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

// Launching one kernel costs no more than launching a graph.
constexpr uint32_t kFewest = 2;

class CapturesPlanner {
 public:
  explicit CapturesPlanner(Plan& plan) : plan_(plan) {}

  void Run() {
    if (plan_.tasks.empty()) return AddRows(0, static_cast<uint32_t>(plan_.steps.size()));
    for (const Task& task : plan_.tasks) AddRows(task.first, task.first + task.count);
  }

 private:
  void AddRows(uint32_t begin, uint32_t end) {
    for (uint32_t s = begin; s < end; ++s) {
      uint32_t after = s;
      while (after < end && plan_.steps[after].device == plan_.steps[s].device && IsStatic(plan_.steps[after])) ++after;
      if (after - s >= kFewest) plan_.captures.push_back({s, after - s});
      s = std::max(s, after);  // the step after them is not capturable
    }
  }

  bool IsStatic(const Step& step) const {
    if (step.device == kCpu || step.copy != Step::Copy::kNone) return false;
    constexpr uint32_t kNever = OPSRUN_KERNEL_WAITS | OPSRUN_KERNEL_HOST_OUTPUT_ON_STREAM;
    if ((step.kernel()->flags & OPSRUN_KERNEL_CAPTURABLE) == 0 || (step.kernel()->flags & kNever) != 0) return false;
    return plan_.devices[step.device].device->can_capture() &&
           std::all_of(step.inputs.begin(), step.inputs.end(), [&](uint32_t i) { return IsStaticInput(step, i); }) &&
           std::all_of(step.outputs.begin(), step.outputs.end(), [&](uint32_t i) { return IsStaticOutput(step, i); });
  }

  bool IsStaticInput(const Step& step, uint32_t input) const {
    const PlanValue& value = plan_.values[input];
    if (value.memory == PlanValue::Memory::kConstant) return true;
    return value.device == step.device && value.memory == PlanValue::Memory::kArena;
  }

  // A replay would not repeat what a kernel itself writes to CPU memory. Results on a device are written to memory of
  // each run's own.
  bool IsStaticOutput(const Step& step, uint32_t output) const {
    const PlanValue& value = plan_.values[output];
    return value.device == step.device && value.memory == PlanValue::Memory::kArena &&
           std::ranges::find(plan_.outputs, output, &PlanOutput::value) == plan_.outputs.end();
  }

  Plan& plan_;
};

}  // namespace

void PlanCaptures(Planning& p) {
  if (p.plan.devices.size() > 1) CapturesPlanner(p.plan).Run();
}

}  // namespace opsrun::host
