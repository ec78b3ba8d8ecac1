// host/engine/op_graph.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/op_graph.h"

#include <fmt/format.h>

#include <utility>

#include "host/engine/graph_builder.h"

namespace opsrun::host {

Status WriteOpGraph(const OpGraph& of, std::string* text) {
  GraphBuilder graph;
  std::vector<BuilderInput> of_node;
  for (const OpInput& input : of.inputs) {
    if (of_node.empty() || of_node.back().arg != input.arg) of_node.push_back({input.arg, input.list, {}});
    std::vector<std::string>& from = of_node.back().from;
    from.push_back(input.list ? fmt::format("{}-{}", input.arg, from.size()) : input.arg);
    graph.AddFeed(from.back(), input.type.dtype, of.any_shape ? nullptr : &input.type.shape);
  }
  Status added = graph.AddNode(kOpNode, of.op, of_node, of.attrs, {}, {}, of.device);
  *text = graph.ToYaml();
  return added;
}

}  // namespace opsrun::host
