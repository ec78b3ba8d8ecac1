// host/show/shapes_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/shapes_text.h"

#include <fmt/format.h>

#include "host/base/text_table.h"

namespace opsrun::host {
namespace {

class ShapesTable {
 public:
  ShapesTable(const Resolution& resolution, const Graph& graph)
      : resolution_(resolution), graph_(graph), names_(ValueNames(resolution, graph)) {}

  std::string Text() {
    for (size_t i = 0; i < graph_.feeds.size(); ++i) AddFeed(graph_.feeds[i], resolution_.feed_values[i]);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) AddNode(graph_.nodes[i], resolution_.nodes[i]);
    std::string text = table_.Text();
    for (size_t i = 0; i < resolution_.unknowns.size(); ++i) text += UnknownText(static_cast<uint32_t>(i + 1));
    return text;
  }

 private:
  void AddValue(uint32_t value, const std::string& from) {
    const ResolvedValue& v = resolution_.values[value];
    table_.Add({names_[value], DTypeName(v.dtype), ResolvedShapeText(v.shape), from});
  }

  void AddFeed(const Feed& feed, uint32_t value) {
    if (value != ResolvedNode::kNone) return AddValue(value, "feed");
    table_.Add({feed.name.value, "?", "?", "feed"});
  }

  void AddNode(const Node& node, const ResolvedNode& resolved) {
    const bool gives_nothing = resolved.op != nullptr && resolved.op->def.outputs.empty();
    if (gives_nothing) return table_.Add({node.name.value, "-", "-", node.op.value});
    if (!resolved.signature) return table_.Add({node.name.value, "?", "?", node.op.value});
    const auto outputs = static_cast<uint32_t>(resolved.signature->out_types.size());
    for (uint32_t i = 0; i < outputs; ++i) AddValue(resolved.first_output + i, node.op.value);
  }

  std::string UnknownText(uint32_t unknown) const {
    const SharedUnknown& first = resolution_.unknowns[unknown - 1];
    return fmt::format("{}: dimension {} of {}\n", UnknownName(unknown), first.dim, names_[first.value]);
  }

  const Resolution& resolution_;
  const Graph& graph_;
  const std::vector<std::string> names_;
  TextTable table_{{{"tensor", TextTable::Align::kLeft},
                    {"type", TextTable::Align::kLeft},
                    {"shape", TextTable::Align::kLeft},
                    {"from", TextTable::Align::kLeft}}};
};

}  // namespace

std::string ValueText(const ResolvedValue& value) {
  return DTypeName(value.dtype) + " " + ResolvedShapeText(value.shape);
}

std::string ShapesText(const Resolution& resolution, const Graph& graph) {
  return ShapesTable(resolution, graph).Text();
}

}  // namespace opsrun::host
