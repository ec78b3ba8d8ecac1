// host/gradcheck/precise_graph.cc: see precise_graph.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradcheck/precise_graph.h"

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
  }
  for (const auto& [name, tensor] : values) precise.values[name] = Precise(tensor);
  precise.graph = std::move(changed);
  return precise;
}

}  // namespace opsrun::host
