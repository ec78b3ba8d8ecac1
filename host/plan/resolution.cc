// host/plan/resolution.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/resolution.h"

#include <fmt/format.h>

namespace opsrun::host {
namespace {

std::string DimText(const ResolvedDim& dim) {
  return dim.size >= 0 ? std::to_string(dim.size) : UnknownName(dim.unknown);
}

// Names the outputs of one argument. outputs: the number of output arguments of the node.
void NameOutputs(const std::string& node, const spec::ArgRange& range, size_t outputs, std::string* names) {
  const std::string name = outputs == 1 && !range.list ? node : fmt::format("{}.{}", node, range.name);
  for (uint32_t i = 0; i < range.count; ++i) {
    names[range.first + i] = range.list ? fmt::format("{}.{}", name, i) : name;
  }
}

}  // namespace

std::string UnknownName(uint32_t unknown) {
  std::string letters;
  for (uint32_t rest = unknown; rest > 0; rest = (rest - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('a' + (rest - 1) % 26));
  }
  return "?" + letters;
}

std::string ResolvedShapeText(const ResolvedShape& shape) {
  if (!shape.rank_known) return "?";
  std::string text;
  for (const ResolvedDim& dim : shape.dims) text += (text.empty() ? "" : ", ") + DimText(dim);
  return "[" + text + "]";
}

std::vector<std::string> ValueNames(const Resolution& resolution, const Graph& graph) {
  std::vector<std::string> names(resolution.values.size());
  for (size_t i = 0; i < resolution.feed_values.size(); ++i) {
    if (resolution.feed_values[i] != ResolvedNode::kNone) names[resolution.feed_values[i]] = graph.feeds[i].name.value;
  }
  for (size_t i = 0; i < resolution.nodes.size(); ++i) {
    const ResolvedNode& node = resolution.nodes[i];
    if (node.first_output == ResolvedNode::kNone) continue;
    const std::vector<spec::ArgRange>& ranges = node.signature->out_args;
    for (const spec::ArgRange& range : ranges) {
      NameOutputs(graph.nodes[i].name.value, range, ranges.size(), names.data() + node.first_output);
    }
  }
  return names;
}

}  // namespace opsrun::host
