// host/gradcheck/precise_graph.cc: see precise_graph.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradcheck/precise_graph.h"

#include <algorithm>
#include <string>

#include "host/gradcheck/real_parts.h"
#include "host/gradient/gradient_flow.h"

namespace opsrun::host {
namespace {

DType Precise(DType dtype) {
  return HasGradient(dtype) ? PreciseType(dtype) : dtype;
}

Tensor Precise(const Tensor& tensor) {
  if (!HasGradient(tensor.dtype())) return tensor;
  const Result<Tensor> precise = FromRealParts(PreciseType(tensor.dtype()), tensor.shape(), RealParts(tensor));
  return precise.ok() ? *precise : tensor;
}

void MakePrecise(Value& type) {
  for (Value& item : type.items) MakePrecise(item);
  const std::optional<DType> dtype = type.kind == Value::Kind::kScalar ? DTypeFromName(type.text) : std::nullopt;
  if (dtype) type.text = DTypeName(Precise(*dtype));
}

bool HasAttr(const Node& node, const std::string& name) {
  return std::any_of(node.attrs.begin(), node.attrs.end(),
                     [&](const NodeAttr& attr) { return attr.name.value == name; });
}

// Whether no input of the op says what the attr is.
bool IsFree(const spec::OpDef& op, const spec::AttrDef& attr) {
  return std::none_of(op.inputs.begin(), op.inputs.end(),
                      [&](const spec::ArgDef& arg) { return arg.type_attr == attr.name; });
}

// Types that the node leaves at their defaults.
void MakeDefaultsPrecise(const spec::OpDef& op, Node& node) {
  for (const spec::AttrDef& attr : op.attrs) {
    const bool is_type = attr.type.kind == OPSRUN_ATTR_TYPE && !attr.type.list && attr.default_value.has_value();
    if (!is_type || HasAttr(node, attr.name) || !IsFree(op, attr)) continue;
    const DType dtype = attr.default_value->Types()[0];
    if (!HasGradient(dtype) || Precise(dtype) == dtype) continue;
    node.attrs.push_back({{attr.name, node.name.span}, StringValue(DTypeName(Precise(dtype)), node.name.span)});
  }
}

}  // namespace

PreciseGraph MakePrecise(const Graph& graph, const std::map<std::string, Tensor>& values, const Registry& registry) {
  PreciseGraph precise;
  auto changed = std::make_shared<Graph>(graph);
  for (Feed& feed : changed->feeds) {
    if (feed.dtype) feed.dtype->value = Precise(feed.dtype->value);
    if (feed.source != Feed::Source::kDeclared) feed.value = Precise(feed.value);
  }
  for (Node& node : changed->nodes) {
    const RegisteredOp* const op = registry.FindOp(node.op.value);
    for (NodeAttr& attr : node.attrs) {
      const spec::AttrDef* const def = op == nullptr ? nullptr : op->def.FindAttr(attr.name.value);
      if (def != nullptr && def->type.kind == OPSRUN_ATTR_TYPE) MakePrecise(attr.value);
    }
    if (op != nullptr) MakeDefaultsPrecise(op->def, node);
  }
  for (const auto& [name, tensor] : values) precise.values[name] = Precise(tensor);
  precise.graph = std::move(changed);
  return precise;
}

}  // namespace opsrun::host
