// host/plan/awaits.cc: what a step must wait for even though the step that makes it has returned.
//
// Steps on the CPU are done when they return. A device has three queues: one for kernels and one for copies in each
// direction. Their work is done later, and in order only within a queue. So a step that needs something from another
// queue waits for it: a CPU step before it begins, a device step on its stream. A device kernel that reads a tensor in
// CPU memory reads it when it is called, so the CPU waits for that tensor, too.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

using Queue = std::pair<uint32_t, Step::Copy>;  // a device, and the kind of its work

Queue QueueOf(const Step& step) {
  return {step.device, step.copy};
}

class AwaitsPlanner {
 public:
  explicit AwaitsPlanner(Planning& p) : p_(p), plan_(p.plan), step_of_node_(StepsOfNodes(p)) {}

  void Run() {
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) PlanStep(s);
  }

 private:
  void PlanStep(uint32_t s) {
    Step& step = plan_.steps[s];
    std::vector<uint32_t> earlier, read_on_cpu;
    for (const uint32_t value : step.inputs) {
      if (!IsLate(plan_.values[value])) continue;
      const bool on_cpu = step.copy == Step::Copy::kNone && plan_.values[value].device == kCpu;
      (on_cpu ? read_on_cpu : earlier).push_back(plan_.values[value].producer);
    }
    ForEachAfter(p_, step, [&](uint32_t node) { earlier.push_back(step_of_node_[node]); });
    for (const uint32_t before : LastFirst(std::move(read_on_cpu)))
      Await({kCpu, Step::Copy::kNone}, before, step.awaited_on_cpu);
    for (const uint32_t before : LastFirst(std::move(earlier))) Await(QueueOf(step), before, step.awaited);
  }

  // Puts the last step of a queue, which implies the earlier ones, first.
  static std::vector<uint32_t> LastFirst(std::vector<uint32_t> steps) {
    std::sort(steps.begin(), steps.end(), std::greater<>());
    return steps;
  }

  // True if the value may not be there yet when its step has returned.
  bool IsLate(const PlanValue& value) const {
    if (value.producer == PlanValue::kNone) return false;
    const Step& step = plan_.steps[value.producer];
    const bool made_by_cpu = step.copy == Step::Copy::kNone && value.device == 0 &&
                             (step.kernel->flags & OPSRUN_KERNEL_HOST_OUTPUT_ON_STREAM) == 0;
    return step.device != 0 && !made_by_cpu;
  }

  void Await(const Queue& mine, uint32_t before, std::vector<uint32_t>& awaited) {
    const Queue other = QueueOf(plan_.steps[before]);
    if (other.first == 0 || mine == other) return;
    if (plan_.tasks.empty() && !IsNews(mine, other, before)) return;
    if (std::find(awaited.begin(), awaited.end(), before) == awaited.end()) awaited.push_back(before);
  }

  // For sequential steps: a queue that has waited for a later step of another has also waited for the earlier ones.
  bool IsNews(const Queue& mine, const Queue& other, uint32_t before) {
    const auto [known, first] = seen_.emplace(std::pair(mine, other), before);
    if (!first && known->second >= before) return false;
    known->second = before;
    return true;
  }

  Planning& p_;
  Plan& plan_;
  const std::vector<uint32_t> step_of_node_;
  std::map<std::pair<Queue, Queue>, uint32_t> seen_;  // the last step of the second queue that the first has waited for
};

}  // namespace

void PlanAwaits(Planning& p) {
  if (p.plan.devices.size() > 1) AwaitsPlanner(p).Run();
}

}  // namespace opsrun::host
