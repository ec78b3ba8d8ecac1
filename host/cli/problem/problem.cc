// SPDX-License-Identifier: Apache-2.0
#include "host/cli/problem/problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/graph/tensor_value.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

// On one line, as a graph writes it.
std::string OneLine(const Value& value) {
  if (value.kind == Value::Kind::kScalar) return value.text;
  std::string text;
  for (const Value& item : value.items) text += (text.empty() ? "" : ", ") + OneLine(item);
  for (const Value::Entry& entry : value.entries) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", entry.key, OneLine(entry.value));
  }
  return value.kind == Value::Kind::kMap ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace

std::string NodeText(const Graph& graph) {
  std::string text;
  for (const Feed& feed : graph.feeds) {
    const bool constant = feed.source == Feed::Source::kValue;
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", feed.name.value, DTypeName(feed.dtype->value),
                        ShapeText(feed.shape->value));
    if (constant) text += " = " + OneLine(ElementsValue(feed.value));
  }
  std::string attrs;
  for (const NodeAttr& attr : graph.nodes[0].attrs) {
    attrs += fmt::format("{}{}: {}", attrs.empty() ? "; " : ", ", attr.name.value, OneLine(attr.value));
  }
  return text + attrs;
}

bool HasKernel(const RegisteredOp& op, const Registry& registry, DType type) {
  const std::vector<const RegisteredKernel*>& kernels = registry.KernelsFor(op);
  return std::any_of(kernels.begin(), kernels.end(), [&](const RegisteredKernel* kernel) {
    return std::all_of(kernel->def.constraints.begin(), kernel->def.constraints.end(), [&](const auto& constraint) {
      const std::vector<DType> types = constraint.allowed.Types();
      const spec::AttrDef* const attr = op.def.FindAttr(constraint.attr);
      const bool free = attr == nullptr || (!attr->allowed_types.empty() &&
                                            std::find(attr->allowed_types.begin(), attr->allowed_types.end(), type) ==
                                                attr->allowed_types.end());
      return free || types.empty() || std::find(types.begin(), types.end(), type) != types.end();
    });
  });
}

std::shared_ptr<const LoadedGraph> LoadOps(Engine& engine, const Plugin& plugin) {
  auto graph = std::make_shared<Graph>();
  graph->source = std::make_shared<const SourceFile>();
  for (const RegisteredOp& op : plugin.ops) {
    graph->nodes.emplace_back().op.value = fmt::format("{}.{}", plugin.name, op.def.name);
  }
  return engine.LoadGraph(std::move(graph));
}

}  // namespace opsrun::host
