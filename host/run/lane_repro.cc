// SPDX-License-Identifier: Apache-2.0
#include "host/run/lane_repro.h"

#include "host/run/step_loop.h"

namespace opsrun::host {

LaneRepro::LaneRepro(CallSlots& slots, const ReproNodes& nodes, ReproFolder& folder, std::vector<LaneStep>& steps,
                     int threads)
    : slots_(slots),
      folder_(folder),
      threads_(threads),
      kept_(steps.size()),
      records_(new ReproRecord[static_cast<size_t>(threads)]) {
  for (size_t s = 0; s < steps.size(); ++s) {
    if (nodes[s].graph.empty()) continue;
    kept_[s] = {this, &nodes[s], steps[s].compute, steps[s].object};
    steps[s].compute = Run;
    steps[s].object = &kept_[s];
  }
}

int32_t LaneRepro::Run(void* kept, opsrun_call* call) {
  const Kept& step = *static_cast<const Kept*>(kept);
  CallSlots& slots = step.lane->slots_;
  ReproRecord& record = step.lane->records_[static_cast<size_t>(slots.ThreadNumber())];
  const Status status = record.Begin(slots.memory().StepOf(call), *step.node, slots, call);
  if (!status.ok()) return slots.Fail(call, status.code(), "its inputs cannot be copied: " + status.message());
  const int32_t code = step.compute(step.object, call);
  if (code == OPSRUN_OK) record.End();
  return code;
}

void LaneRepro::Write(RunFailure& failure, int thread) {
  ReproRecord& record = records_[static_cast<size_t>(thread)];
  record.Reopen();
  if (!record.IsRunning(failure.step)) return;
  failure.repro = WriteRepro({&folder_, &record}, DescribeFailure(slots_.plan(), failure));
}

RunningNode LaneRepro::OnThread(uint32_t step, int thread) const {
  ReproRecord& record = records_[static_cast<size_t>(thread)];
  return record.IsRunning(step) ? RunningNode{&folder_, &record} : RunningNode{};
}

RunningNode LaneRepro::OfStep(uint32_t step) const {
  for (int thread = 0; thread < threads_; ++thread) {
    if (const RunningNode found = OnThread(step, thread); found.record != nullptr) return found;
  }
  return {};
}

}  // namespace opsrun::host
