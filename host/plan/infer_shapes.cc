// host/plan/infer_shapes.cc: the node's outputs as values, with the shapes that its shape function gives.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/plan/explain/blame.h"
#include "host/plan/explain/shape_origin.h"
#include "host/plan/planning.h"
#include "host/plan/shape_call.h"

namespace opsrun::host {
namespace {

// The sizes, -1 for one that is not known. Requires: the rank is known.
Shape KnownSizes(const spec::ShapeEngine& engine, const opsrun_shape* shape) {
  Shape sizes;
  for (int32_t i = 0; i < shape->rank; ++i) sizes.push_back(engine.Known(shape->dims[i]));
  return sizes;
}

bool IsWhole(const Shape& shape) {
  return std::find(shape.begin(), shape.end(), -1) == shape.end();
}

// Where the shapes come from, and whose function it is: the mistake may be its own.
void Explain(const Planning& p, const NodeWork& work, Diagnostic& error) {
  if (p.IsWorthExplaining()) TellShapeOrigins(p, work, error);
  const Plugin& plugin = *work.op->plugin;
  error.notes.push_back(fmt::format("shape function: of plugin '{}' ({})", plugin.name, plugin.path));
}

void ReportRefusal(Planning& p, const NodeWork& work, const Status& status, const std::string& conflict) {
  const spec::OpDef& op = work.op->def;
  const bool no_memory = status.code() == OPSRUN_RESOURCE_EXHAUSTED;
  const bool of_plugin = !no_memory && IsOfPlugin(status);
  const std::string what = no_memory ? fmt::format("the shapes of node '{}' cannot be computed", work.node->name.value)
                           : of_plugin ? fmt::format("the shapes of op '{}' cannot be inferred", op.name)
                                       : fmt::format("op '{}' does not take these shapes", op.name);
  Diagnostic& error = p.Error(no_memory ? Code("D401") : Code("G217"), fmt::format("{}: {}", what, status.message()),
                              work.node->op.span);
  Blame(*work.node, op.inputs, status.subject(), error);
  if (of_plugin) error.help.push_back(FailureHelp(status, op.name, work.op->plugin->name));
  if (!conflict.empty()) error.notes.push_back("two sizes that must be equal cannot be: " + conflict);
  if (!no_memory) Explain(p, work, error);
}

// What was learned since an input's shape was found counts too.
bool RunShapeFunction(Planning& p, const NodeWork& work, std::vector<const opsrun_shape*>* shapes,
                      std::vector<const opsrun_shape*>* elements) {
  std::vector<const opsrun_shape*> in;
  std::vector<const Tensor*> values;
  for (uint32_t value : work.inputs) {
    in.push_back(p.shapes.Refined(p.value_shapes[value]));
    values.push_back(p.ConstantOf(value));
  }
  const CallArrays arrays(work.op->def, work.signature, {}, p.in.host);
  const auto n_out = static_cast<uint32_t>(work.signature.out_types.size());
  ShapeCall call(p.in.host, arrays, p.shapes, std::move(in), std::move(values), n_out);
  call.set_asker(work.index);
  call.SetLateValues([&](uint32_t i) { return FoldedValue(p, work.inputs[i]); });
  for (uint32_t i = 0; i < work.inputs.size(); ++i) {
    const opsrun_shape* known = p.elements[work.inputs[i]];
    if (known != nullptr) call.SetElements(i, p.shapes.Refined(known));
  }
  const size_t equated = p.shapes.Equated();
  Status status;
  const auto infer = [&] { status = call.Run(work.op->shape, work.op->shape_ctx, work.signature.out_types); };
  const bool returned = CallPlugin(p, work, PluginPhase::kShape, &call, infer);
  if (!returned || !status.ok()) {
    // What it found on the way to its refusal is no knowledge: later nodes must not be blamed for it.
    if (p.IsWorthExplaining()) p.shapes.Forget(equated);
    if (returned) ReportRefusal(p, work, status, call.conflict());
    return false;
  }
  for (uint32_t i = 0; i < n_out; ++i) {
    shapes->push_back(call.output(i) == nullptr ? p.shapes.Unknown() : call.output(i));
    elements->push_back(call.output_elements(i));
  }
  return true;
}

// Where the output will be: in the arena if its size is known. Strings and resources own memory of their own, which the
// arena does not plan.
bool PlaceOutput(Planning& p, const NodeWork& work, uint32_t value) {
  PlanValue& v = p.plan.values[value];
  if (!v.rank_known) return true;
  v.shape = KnownSizes(p.shapes, p.value_shapes[value]);
  if (!IsWhole(v.shape) || DTypeSize(v.dtype) == 0) return true;
  const std::optional<int64_t> elements = NumElements(v.shape);
  constexpr int64_t kMostBytes = int64_t{1} << 47;  // of one tensor: more than any address space has
  if (!elements || *elements > kMostBytes / static_cast<int64_t>(DTypeSize(v.dtype))) {
    Diagnostic& error =
        p.Error("G217",
                fmt::format("an output of op '{}' would have the shape {}, {}", work.op->def.name, ShapeText(v.shape),
                            elements ? "more than memory can hold" : "whose elements cannot be counted"),
                work.node->op.span);
    Explain(p, work, error);
    p.value_shapes[value] = p.shapes.Unknown();  // told once is enough
    v.rank_known = false;
    return false;
  }
  v.memory = PlanValue::Memory::kArena;
  return true;
}

}  // namespace

bool InferShapes(Planning& p, NodeWork& work) {
  const std::vector<DType>& types = work.signature.out_types;
  std::vector<const opsrun_shape*> shapes, elements;
  const bool runs = p.in.infer_shapes && work.op->shape != nullptr;
  const bool known = !runs || RunShapeFunction(p, work, &shapes, &elements);
  shapes.resize(types.size(), p.shapes.Unknown());
  elements.resize(types.size());
  NodeState& state = p.nodes[work.index];
  state.first_value = static_cast<uint32_t>(p.plan.values.size());
  state.outputs = work.signature.out_args;
  state.types_known = true;
  bool placed = known;
  for (size_t i = 0; i < types.size(); ++i) {
    const uint32_t value = p.AddValue(types[i], shapes[i]);
    p.elements[value] = elements[i];
    placed = placed && PlaceOutput(p, work, value);
  }
  return placed;
}

}  // namespace opsrun::host
