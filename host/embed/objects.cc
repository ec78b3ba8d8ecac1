// host/embed/objects.cc: facts about a graph's feeds and outputs, and the handle of a newly loaded graph.
// SPDX-License-Identifier: Apache-2.0
#include "host/embed/objects.h"

#include <fmt/format.h>

#include <utility>

#include "host/embed/calls.h"
#include "host/embed/report.h"

namespace opsrun::host {

void TensorInfos::Add(std::string name, DType dtype, bool rank_known, Shape shape) {
  Info& added = *infos_.emplace_back(std::make_unique<Info>());
  added.name = std::move(name);
  added.shape = std::move(shape);
  added.info = {StrOf(added.name), DTypeNumber(dtype), rank_known ? static_cast<int32_t>(added.shape.size()) : -1,
                rank_known ? added.shape.data() : nullptr};
}

int32_t TensorInfos::Find(opsrun_str name) const {
  const std::string_view wanted(name.data, name.size);
  for (size_t i = 0; i < infos_.size(); ++i) {
    if (infos_[i]->name == wanted) return static_cast<int32_t>(i);
  }
  return -1;
}

std::vector<OpInput> ReadInputs(std::span<const opsrun_op_input> inputs, bool without_shapes,
                                Diagnostics& diagnostics) {
  std::vector<OpInput> list;
  for (const opsrun_op_input& input : inputs) {
    OpInput& added = list.emplace_back(OpInput{TextOf(input.arg), input.list != 0});
    added.empty = input.list == OPSRUN_LIST_EMPTY;
    if (added.empty) continue;
    added.type.dtype = DTypeFromNumber(input.dtype);
    const bool handle = without_shapes && added.type.dtype == DType::kResource;
    const int32_t rank = without_shapes ? 0 : input.rank;
    std::optional<int64_t> elements;
    const Status status = handle ? OkStatus() : CheckType(added.type.dtype, rank, input.shape, &elements);
    if (!status.ok()) {
      ReportInput(fmt::format("input '{}'", added.arg), status, diagnostics);
    } else if (rank > 0) {
      added.type.shape.assign(input.shape, input.shape + rank);
    }
  }
  return list;
}

LoadOptions OptionsOf(const opsrun_graph_options* given) {
  LoadOptions options;
  options.strict = (Known(given).flags & OPSRUN_GRAPH_STRICT) != 0;
  return options;
}

int32_t TakeGraph(size_t cached_plans, std::shared_ptr<LoadedGraph> loaded, opsrun_graph** graph,
                  opsrun_report** report) {
  std::shared_ptr<const PlannedGraph> planned;
  if (loaded->graph() != nullptr) planned = loaded->Plan();
  const int32_t code = Report(loaded->diagnostics(), *loaded, report);
  if (code != OPSRUN_OK) return code;
  auto made = std::make_unique<opsrun_graph>(loaded, cached_plans);
  for (const Feed* feed : made->callable.feeds()) {
    made->feeds.Add(feed->name.value, feed->dtype->value, feed->shape.has_value(),
                    feed->shape ? feed->shape->value : Shape());
  }
  for (const PlanOutput& output : planned->plan().outputs) {
    const PlanValue& value = planned->plan().values[output.value];
    made->outputs.Add(output.output->name.value, value.dtype, value.rank_known, value.shape);
  }
  *graph = made.release();
  return OPSRUN_OK;
}

int32_t Report(Diagnostics diagnostics, const LoadedGraph& about, opsrun_report** report) {
  const bool silent = diagnostics.all().empty();
  return Report(std::move(diagnostics), silent ? nullptr : about.share_source(), report);
}

}  // namespace opsrun::host

opsrun_prepared::opsrun_prepared(std::shared_ptr<opsrun::host::PreparedOp> made) : op(std::move(made)) {
  const opsrun::host::Plan& plan = op->plan->plan();
  for (size_t i = 0; i < op->outputs.size(); ++i) {
    const opsrun::host::PlanValue& value = plan.values[plan.outputs[i].value];
    outputs.Add(op->outputs[i], value.dtype, value.rank_known, value.shape);
  }
}
