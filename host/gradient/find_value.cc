// host/gradient/find_value.cc: the tensor of a planned graph that a reference names.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/gradient/differentiate.h"

namespace opsrun::host {
std::optional<uint32_t> FindValue(const Reference& reference, const Graph& graph, const Resolution& resolution,
                                  Diagnostics& diagnostics) {
  const std::vector<std::string> names = ValueNames(resolution, graph);
  const std::string text = ReferenceText(reference);
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<uint32_t>(found - names.begin());
  // "z.zeroed", of a node that has one output, is "z".
  const auto short_name = std::find(names.begin(), names.end(), reference.name);
  for (size_t i = 0; i < graph.nodes.size() && short_name != names.end(); ++i) {
    const ResolvedNode& node = resolution.nodes[i];
    if (graph.nodes[i].name.value != reference.name || node.first_output == ResolvedNode::kNone) continue;
    if (node.signature->out_args[0].name == reference.output && reference.index < 0) return node.first_output;
  }
  Diagnostic& error = diagnostics.Error("G204", fmt::format("the graph has no tensor '{}'", text));
  error.file = graph.source->path;
  SuggestName(error, text, names, "tensors");
  return std::nullopt;
}

}  // namespace opsrun::host
