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
  // "loss", where an output of the graph has that name.
  const auto output = std::find_if(graph.outputs.begin(), graph.outputs.end(),
                                   [&](const GraphOutput& each) { return each.name.value == text; });
  const bool refers_to_other = output != graph.outputs.end() && ReferenceText(output->from) != text;
  if (refers_to_other) return FindValue(output->from, graph, resolution, diagnostics);
  Diagnostic& error = diagnostics.Error("G204", fmt::format("the graph has no tensor '{}'", text));
  error.file = graph.source->path;
  // "parts", of a node that has several tensors.
  const auto part = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return name.starts_with(text) && name.size() > text.size() && name[text.size()] == '.';
  });
  if (part == names.end()) {
    SuggestName(error, text, names, "tensors");
  } else {
    error.help.push_back(fmt::format("'{}' has several: name one, such as '{}'", text, *part));
  }
  return std::nullopt;
}

}  // namespace opsrun::host
