// host/run/failure.cc: a failed run, told to the person who wrote the graph.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/plan/blame.h"
#include "host/run/lane.h"

namespace opsrun::host {
namespace {

std::string KernelText(const Step& step) {
  return fmt::format("kernel: {}, of plugin '{}' ({})", spec::KernelText(step.kernel->def), step.kernel->plugin->name,
                     step.kernel->plugin->path);
}

}  // namespace

Diagnostic DescribeFailure(const Plan& plan, const RunFailure& failure) {
  const Step& step = plan.steps[failure.step];
  const Node& node = plan.NodeOf(step);
  Diagnostic error;
  error.code = failure.status.code() == OPSRUN_RESOURCE_EXHAUSTED ? "D401" : "R401";
  error.message = fmt::format("node '{}' failed: {}: {}", node.name.value, CodeName(failure.status.code()),
                              failure.status.message());
  error.file = plan.graph().source->path;
  error.where = BlamedSpan(node, step.op->def.inputs, failure.status.subject());
  if (failure.status.subject().starts_with("attr:")) error.label = "the op blames this attr";
  if (failure.status.subject().starts_with("input:")) error.label = "the op blames this input";
  error.notes.push_back(KernelText(step));
  if (failure.others > 0) {
    error.notes.push_back(
        fmt::format("{} other {} failed at the same time", failure.others, failure.others == 1 ? "node" : "nodes"));
  }
  return error;
}

}  // namespace opsrun::host
