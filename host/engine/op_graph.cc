// host/engine/op_graph.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/op_graph.h"

#include <fmt/format.h>

#include <utility>

#include "host/engine/graph_builder.h"

namespace opsrun::host {

std::string FeedOfInput(const std::string& arg, bool list, size_t i) {
  return list ? fmt::format("{}-{}", arg, i) : arg;
}

Status WriteOpGraph(const OpGraph& of, std::string* text) {
  GraphBuilder graph;
  std::vector<BuilderInput> of_node;
  for (const OpInput& input : of.inputs) {
    if (of_node.empty() || of_node.back().arg != input.arg) of_node.push_back({input.arg, input.list, {}});
    if (input.empty) continue;
    std::vector<std::string>& from = of_node.back().from;
    from.push_back(FeedOfInput(input.arg, input.list, from.size()));
    graph.AddFeed(from.back(), input.type.dtype, of.any_shape ? nullptr : &input.type.shape);
  }
  Status added = graph.AddNode(kOpNode, of.op, of_node, of.attrs, {}, {}, of.device);
  *text = graph.ToYaml();
  return added;
}

}  // namespace opsrun::host
