// host/embed/objects.cc: facts about a graph's feeds and outputs, and the handle of a newly loaded graph.
// SPDX-License-Identifier: Apache-2.0
#include "host/embed/objects.h"

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
