// host/run/missing_outputs.cc: steps that fail or are skipped, and the outputs that are missing then.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
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
  std::vector<bool> made;
  if (const IsolatedPart* const part = plan_.steps[failure.step].more->part) {
    PartOutcome outcome = part->part->TakeOutcome(step.call);
    failure.of_part = std::move(outcome.failures);
    made = std::move(outcome.made);
  }
  if (repro_ && !was_stopped) repro_->Write(failure, ThreadNumber());
  if (state_.keep_going()) Forsake(step, made);
  state_.End(std::move(failure), aborts || was_stopped);
  return false;
}

// A step that depends on one that failed or was skipped is skipped. It is marked as begun, as steps begin in order.
StepLoop::Course StepLoop::CourseOf(const LaneStep& step) {
  if (state_.MustStop()) return Course::kEnd;
  const Step& planned = plan_.steps[IndexOf(step)];
  if (std::ranges::all_of(planned.inputs, [&](uint32_t value) { return IsMade(value); }) &&
      std::ranges::all_of(planned.more->after, [&](uint32_t earlier) { return missing_[earlier] == 0; }))
    return Course::kRun;
  __atomic_store_n(&step.call->run_id, state_.id(), __ATOMIC_RELAXED);
  Forsake(step);
  return Course::kSkip;
}

bool StepLoop::IsMade(uint32_t value) const {
  const uint32_t producer = plan_.values[value].producer;
  if (producer == PlanValue::kNone || missing_[producer] == 0) return true;
  const std::lock_guard<std::mutex> lock(partly_mutex_);
  const auto partly = partly_made_.find(producer);
  if (partly == partly_made_.end()) return false;
  const std::span<const uint32_t> outputs = plan_.steps[producer].outputs;
  return partly->second[static_cast<size_t>(std::ranges::find(outputs, value) - outputs.begin())];
}

// Nothing reads its outputs that are not there, but it is a reader of its inputs.
void StepLoop::Forsake(const LaneStep& step, const std::vector<bool>& made) {
  missing_[IndexOf(step)] = 1;
  if (!made.empty()) {
    const std::lock_guard<std::mutex> lock(partly_mutex_);
    partly_made_[IndexOf(step)] = made;
  }
  if (!device_steps_.empty()) device_steps_.at(IndexOf(step)).Forsake();
  if (step.dynamic == nullptr) return;
  for (DynamicView* view : std::span(step.dynamic->views, step.dynamic->made)) {
    view->excused.store(false, std::memory_order_relaxed);
    if (made.empty()) Unallocate(view);
  }
  EndReads(*step.dynamic);
}

namespace {

// What cannot be made without a node.
class Dependents {
 public:
  explicit Dependents(const Plan& plan) : plan_(plan), steps_(plan.steps.size()), values_(plan.values.size()) {}

  void Add(const Step& step) {
    for (const uint32_t output : step.outputs) values_[output] = true;
    names_.insert(plan_.NodeName(step));
  }
  // The nodes from `first` on that the step stands for.
  void AddThoseOf(const IsolatedPart& part, size_t first) {
    for (const Step& member : std::span(part.members).subspan(first)) {
      const auto& after = plan_.NodeOf(member).after;
      if (IsReadBy(member) || std::ranges::any_of(after, [&](const auto& node) { return names_.contains(node.value); }))
        Add(member);
    }
  }
  void AddThoseAfter(uint32_t step) {
    steps_[step] = true;
    for (uint32_t s = step + 1; s < plan_.steps.size(); ++s) {
      const Step& each = plan_.steps[s];
      const bool waits = std::ranges::any_of(each.more->after, [&](uint32_t earlier) { return steps_[earlier]; });
      steps_[s] = waits || IsReadBy(each);
      if (!steps_[s]) continue;
      each.more->part != nullptr && !waits ? AddThoseOf(*each.more->part, 0) : Add(each);
    }
  }
  // Those that are results, in the order of the plan.
  std::vector<std::string> Outputs() const {
    std::vector<std::string> outputs;
    for (const PlanOutput& each : plan_.outputs) {
      if (values_[each.value]) outputs.push_back(each.output->name.value);
    }
    return outputs;
  }

 private:
  bool IsReadBy(const Step& step) const {
    return std::ranges::any_of(step.inputs, [&](uint32_t value) { return values_[value]; });
  }

  const Plan& plan_;
  std::vector<bool> steps_, values_;
  std::set<std::string_view> names_;  // of nodes
};

std::string MissingText(const Plan& plan, const RunFailure& failure) {
  Dependents dependents(plan);
  const Step& step = plan.steps[failure.step];
  if (failure.of_part.empty()) {
    dependents.Add(step);
  } else {
    const uint32_t node = failure.of_part.front().node;
    dependents.Add(step.more->part->members[node]);
    dependents.AddThoseOf(*step.more->part, node + 1);
  }
  dependents.AddThoseAfter(failure.step);
  const std::vector<std::string> missing = dependents.Outputs();
  if (missing.empty()) return "no result depends on it";
  return fmt::format("{} {} missing because of it: {}", Several(missing.size(), "result"),
                     missing.size() == 1 ? "is" : "are", QuotedNames(missing));
}

}  // namespace

std::vector<Diagnostic> DescribeFailures(const Plan& plan, const RunFailure& failure, const Graph* located) {
  std::vector<Diagnostic> errors;
  const auto add = [&](RunFailure each) {
    each.more.clear();
    const std::vector<PartFailure> of_part = each.of_part;
    for (size_t i = 0; i < std::max<size_t>(of_part.size(), 1); ++i) {
      if (!of_part.empty()) each.of_part = {of_part[i]};
      if (i > 0) each.repro = {};
      errors.push_back(DescribeFailure(plan, each, located));
      errors.back().notes.push_back(MissingText(plan, each));
    }
  };
  add(failure);
  std::ranges::for_each(failure.more, add);
  return errors;
}

}  // namespace opsrun::host
