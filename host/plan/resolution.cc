// SPDX-License-Identifier: Apache-2.0
#include "host/plan/resolution.h"

#include <fmt/format.h>

namespace opsrun::host {
namespace {

std::string DimText(const ResolvedDim& dim) {
  return dim.size >= 0 ? std::to_string(dim.size) : UnknownName(dim.unknown);
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

std::string OutputName(const std::string& node, const std::vector<spec::ArgRange>& outputs, size_t i) {
  const spec::ArgRange& range = spec::ArgOf(outputs, i);
  return outputs.size() == 1 && !range.list ? node : node + "." + range.NameOf(i - range.first);
}

std::vector<std::string> ValueNames(const Resolution& resolution, const Graph& graph) {
  std::vector<std::string> names(resolution.values.size());
  for (size_t i = 0; i < resolution.feed_values.size(); ++i) {
    if (resolution.feed_values[i] != ResolvedNode::kNone) names[resolution.feed_values[i]] = graph.feeds[i].name.value;
  }
  for (size_t i = 0; i < resolution.nodes.size(); ++i) {
    const ResolvedNode& node = resolution.nodes[i];
    if (node.first_output == ResolvedNode::kNone) continue;
    for (size_t k = 0; k < node.signature->out_types.size(); ++k) {
      names[node.first_output + k] = OutputName(graph.nodes[i].name.value, node.signature->out_args, k);
    }
  }
  return names;
}

}  // namespace opsrun::host
