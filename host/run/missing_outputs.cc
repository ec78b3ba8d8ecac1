// host/run/missing_outputs.cc: steps that fail or are skipped, and the outputs that are missing then.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "host/base/display_text.h"
#include "host/run/step_loop.h"

namespace opsrun::host {
namespace {

std::vector<std::string> InputTexts(const opsrun_call& call) {
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < call.n_in; ++i) {
    const opsrun_tensor& in = *call.in[i];
    texts.push_back(fmt::format("{} {}", DTypeName(DTypeOf(in)), ViewShapeText(in.rank, in.shape)));
  }
  return texts;
}

}  // namespace

// False if an output is missing that somebody reads, or whose kernel does not know that nobody does.
bool StepLoop::ExcuseMissing(const DynamicStep& step) const {
  const std::span<DynamicView* const> made(step.views, step.made);
  for (const DynamicView* view : made) {
    if (!view->allocated() && !view->is_excused()) return false;
  }
  for (DynamicView* view : made) view->excused.store(false, std::memory_order_relaxed);  // in this run
  return true;
}

bool StepLoop::FailForMissingOutput(const LaneStep& step) {
  const auto is_missing = [&](uint32_t i) {
    const opsrun_tensor* const out = step.call->out[i];
    return out->rank < 0 && !static_cast<const DynamicView*>(out)->is_excused();
  };
  uint32_t i = 0;
  while (i + 1 < step.call->n_out && !is_missing(i)) ++i;
  const std::string name = slots_.OutputName(step.call, i);
  std::string text = fmt::format("the kernel returned OK without allocating its output '{}'", name);
  if (const Status reason = state_.ReasonOf(IndexOf(step)); !reason.ok())
    text += fmt::format("; before that: {}", reason.message());
  return EndFailed(step, Status(OPSRUN_INTERNAL, std::move(text), "output:" + name));
}

// Returns false.
bool StepLoop::EndFailed(const LaneStep& step, Status why, bool aborts) {
  const bool was_stopped = why.code() == OPSRUN_CANCELLED && state_.MustStop();
  RunFailure failure{IndexOf(step), std::move(why), 0, InputTexts(*step.call), {}};
  if (repro_ && !was_stopped) repro_->Write(failure, ThreadNumber());
  if (state_.keep_going()) Forsake(step);
  state_.End(std::move(failure), aborts || was_stopped);
  return false;
}

// A step that depends on one that failed or was skipped is skipped. It is marked as begun, as steps begin in order.
StepLoop::Course StepLoop::CourseOf(const LaneStep& step) {
  if (state_.MustStop()) return Course::kEnd;
  const Step& planned = plan_.steps[IndexOf(step)];
  const auto is_made = [&](uint32_t value) {
    const uint32_t producer = plan_.values[value].producer;
    return producer == PlanValue::kNone || missing_[producer] == 0;
  };
  if (std::ranges::all_of(planned.inputs, is_made) &&
      std::ranges::all_of(planned.more->after, [&](uint32_t earlier) { return missing_[earlier] == 0; }))
    return Course::kRun;
  __atomic_store_n(&step.call->run_id, state_.id(), __ATOMIC_RELAXED);
  Forsake(step);
  return Course::kSkip;
}

// Nothing reads its outputs, but it is a reader of its inputs.
void StepLoop::Forsake(const LaneStep& step) {
  missing_[IndexOf(step)] = 1;
  if (!device_steps_.empty()) device_steps_.at(IndexOf(step)).Forsake();
  if (step.dynamic == nullptr) return;
  for (DynamicView* view : std::span(step.dynamic->views, step.dynamic->made)) {
    view->excused.store(false, std::memory_order_relaxed);
    Unallocate(view);
  }
  EndReads(*step.dynamic);
}

namespace {

// The outputs that cannot be made without a step, in the order of the plan.
std::vector<std::string> OutputsOf(const Plan& plan, uint32_t step) {
  std::vector<bool> depends(plan.steps.size());
  depends[step] = true;
  const auto is_of = [&](uint32_t value) {
    const uint32_t producer = plan.values[value].producer;
    return producer != PlanValue::kNone && depends[producer];
  };
  for (uint32_t s = step + 1; s < plan.steps.size(); ++s) {
    depends[s] = std::ranges::any_of(plan.steps[s].inputs, is_of) ||
                 std::ranges::any_of(plan.steps[s].more->after, [&](uint32_t earlier) { return depends[earlier]; });
  }
  std::vector<std::string> outputs;
  for (const PlanOutput& each : plan.outputs) {
    if (is_of(each.value)) outputs.push_back(each.output->name.value);
  }
  return outputs;
}

std::string MissingText(const Plan& plan, uint32_t step) {
  const std::vector<std::string> missing = OutputsOf(plan, step);
  if (missing.empty()) return "no result depends on it";
  return fmt::format("{} {} missing because of it: {}", Several(missing.size(), "result"),
                     missing.size() == 1 ? "is" : "are", QuotedNames(missing));
}

}  // namespace

std::vector<Diagnostic> DescribeFailures(const Plan& plan, const RunFailure& failure, const Graph* located) {
  std::vector<Diagnostic> errors;
  const auto add = [&](RunFailure each) {
    each.more.clear();
    errors.push_back(DescribeFailure(plan, each, located));
    errors.back().notes.push_back(MissingText(plan, each.step));
  };
  add(failure);
  std::ranges::for_each(failure.more, add);
  return errors;
}

}  // namespace opsrun::host
