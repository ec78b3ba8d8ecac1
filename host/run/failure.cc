// host/run/failure.cc: a failed run, told to the person who wrote the graph.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/units.h"
#include "host/plan/explain/blame.h"
#include "host/plan/explain/forward_node.h"
#include "host/run/lane.h"

namespace opsrun::host {
namespace {

std::string KernelText(const Step& step) {
  return fmt::format("kernel: {}, of plugin '{}' ({})", spec::KernelText(step.kernel->def), step.kernel->plugin->name,
                     step.kernel->plugin->path);
}

// "inputs: to_zero int32 [2]"; without names where lists make them a long story.
std::string InputsText(const spec::OpDef& op, const std::vector<std::string>& inputs) {
  constexpr size_t kShown = 8;
  const bool named = std::none_of(op.inputs.begin(), op.inputs.end(), [](const auto& arg) { return arg.is_list(); });
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(inputs.size(), kShown); ++i) {
    texts.push_back(named && i < op.inputs.size() ? op.inputs[i].name + " " + inputs[i] : inputs[i]);
  }
  const std::string more = inputs.size() > kShown ? fmt::format(" and {} more", inputs.size() - kShown) : "";
  return fmt::format("inputs: {}{}", fmt::join(texts, ", "), more);
}

}  // namespace

Diagnostic DescribeFailure(const Plan& plan, const RunFailure& failure) {
  const Step& step = plan.steps[failure.step];
  const Node& node = plan.NodeOf(step);
  const bool is_copy = step.copy != Step::Copy::kNone;
  Diagnostic error;
  error.code = failure.status.code() == OPSRUN_RESOURCE_EXHAUSTED ? Code("D401") : Code("R401");
  error.message = fmt::format("{} '{}' failed: {}: {}", is_copy ? "copy" : "node", node.name.value,
                              CodeName(failure.status.code()), failure.status.message());
  error.file = plan.graph().source->path;
  error.where = BlamedSpan(node, step.op->def.inputs, failure.status.subject());
  if (failure.status.subject().starts_with("attr:")) error.label = "the op blames this attr";
  if (failure.status.subject().starts_with("input:")) error.label = "the op blames this input";
  if (is_copy) {
    error.help.push_back("an earlier error of the device may be the cause: --sync-each-node finds where it arises");
  } else if (error.code == Code("R401")) {
    error.help.push_back(FailureHelp(failure.status, step.op->def.name, step.kernel->plugin->name));
  }
  MarkForwardNode(plan.graph(), node, error);
  if (!is_copy) error.notes.push_back(KernelText(step));
  if (!failure.inputs.empty()) error.notes.push_back(InputsText(step.op->def, failure.inputs));
  if (failure.others > 0) {
    error.notes.push_back(Several(failure.others, "other node") + " failed at the same time");
  }
  return error;
}

}  // namespace opsrun::host
