// host/plan/infer_shapes.cc: adds a node's outputs as values, with the shapes from its shape function.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "host/base/display_text.h"
#include "host/base/plugin_code.h"
#include "host/plan/call_arrays.h"
#include "host/plan/explain/explain.h"
#include "host/plan/part_text.h"
#include "host/plugin/isolated_plugin.h"

namespace opsrun::host {
namespace {

std::string ShapeOrigin(const RegisteredOp& op) {
  const OpsFilePart& beside = op.beside;
  if (beside.shape != nullptr) return fmt::format("from {}:{}", beside.file->path, beside.shape_line);
  return fmt::format("of plugin '{}' ({})", op.plugin->name, op.plugin->path);
}

// Adds the origins of the shapes, and the plugin of the shape function, which may be wrong.
void Explain(const Planning& p, const NodeWork& work, Diagnostic& error) {
  if (p.IsWorthExplaining()) TellShapeOrigins(p, work, error);
  error.notes.push_back("shape function: " + ShapeOrigin(*work.op));
}

void ReportRefusal(Planning& p, const NodeWork& work, const Status& status, const std::string& conflict) {
  const spec::OpDef& op = work.op->def;
  const bool no_memory = status.code() == OPSRUN_RESOURCE_EXHAUSTED;
  const bool of_plugin = !no_memory && IsOfPlugin(status);
  const std::string what = no_memory ? fmt::format("the shapes of node '{}' cannot be computed", work.node->name.value)
                           : of_plugin ? fmt::format("the shapes of op '{}' cannot be inferred", op.name)
                                       : fmt::format("op '{}' does not accept these shapes", op.name);
  Diagnostic& error = p.Error(no_memory ? Code("D401") : Code("G217"), fmt::format("{}: {}", what, status.message()),
                              work.node->op.span);
  Blame(*work.node, op.inputs, status.subject(), error);
  if (of_plugin) error.help.push_back(FailureHelp(status, op.name, work.op->plugin->name));
  if (!conflict.empty()) error.notes.push_back("two sizes must be equal but cannot be: " + conflict);
  if (!no_memory) Explain(p, work, error);
}

bool SameDims(const opsrun_shape* a, const opsrun_shape* b) {
  return a == b || (a->rank >= 0 && a->rank == b->rank && std::equal(a->dims, a->dims + a->rank, b->dims));
}

bool IsOfInputs(const opsrun_dim* dim, const std::vector<const opsrun_shape*>& inputs) {
  return std::ranges::any_of(inputs, [&](const opsrun_shape* in) {
    return in->rank > 0 && std::find(in->dims, in->dims + in->rank, dim) != in->dims + in->rank;
  });
}

// Makes the dimensions again that the shape function made, so that messages can tell whose they are.
const opsrun_shape* MadeAgain(Planning& p, const KnownShapes& known, const opsrun_shape* shape) {
  if (!p.IsWorthExplaining()) return shape;
  std::vector<const opsrun_dim*> dims(shape->dims, shape->dims + shape->rank);
  for (const opsrun_dim*& dim : dims) {
    if (!IsOfInputs(dim, known.in)) dim = p.shapes.MakeDim(dim->value);
  }
  return std::equal(dims.begin(), dims.end(), shape->dims) ? shape : *p.shapes.MakeShape(shape->rank, dims.data());
}

// The outputs of the last node of the signature, if the shape function need not run.
const std::vector<PlanValue>* FindKnownShapes(Planning& p, const NodeWork& work,
                                              const std::vector<const opsrun_shape*>& in,
                                              std::vector<const opsrun_shape*>* shapes) {
  const std::optional<KnownShapes>& known = work.known->shapes;
  const bool same = known && known->values.size() == known->out.size() && std::ranges::equal(known->in, in, SameDims);
  if (!same) return nullptr;
  for (const opsrun_shape* const out : known->out) {
    const auto input = std::ranges::find(known->in, out);
    shapes->push_back(input == known->in.end() ? MadeAgain(p, *known, out)
                                               : in[static_cast<size_t>(input - known->in.begin())]);
  }
  return &known->values;
}

void KeepKnownShapes(const NodeWork& work, KnownShapes known) {
  const auto is_known = [&](const opsrun_dim* dim) { return dim->value >= 0 || IsOfInputs(dim, known.in); };
  const auto all_known = [&](const opsrun_shape* shape) {
    return shape->rank >= 0 && std::all_of(shape->dims, shape->dims + shape->rank, is_known);
  };
  if (std::ranges::all_of(known.out, all_known)) work.known->shapes = std::move(known);
}

bool RunShapeFunction(Planning& p, const NodeWork& work, const std::vector<const opsrun_shape*>& in,
                      std::vector<const opsrun_shape*>* shapes, std::vector<const opsrun_shape*>* elements) {
  work.known->shapes.reset();
  std::vector<const Tensor*> values;
  for (uint32_t value : work.inputs) values.push_back(p.ConstantOf(value));
  std::unique_ptr<const CallArrays>& arrays = work.known->shape_arrays;
  if (arrays == nullptr)
    arrays = std::make_unique<const CallArrays>(work.op->def, *work.signature, std::vector<std::string>{}, p.in.host);
  const auto n_out = static_cast<uint32_t>(work.signature->out_types.size());
  ShapeCall call(p.in.host, *arrays, p.shapes, in, std::move(values), n_out);
  call.set_asker(work.index);
  call.SetLateValues([&](uint32_t i) { return FoldedValue(p, work.inputs[i]); });
  for (uint32_t i = 0; i < work.inputs.size(); ++i) {
    const opsrun_shape* known = p.elements[work.inputs[i]];
    if (known != nullptr) call.SetElements(i, p.shapes.Refined(known));
  }
  const size_t equated = p.shapes.Equated();
  Status status;
  const auto infer = [&] { status = call.Run(work.op->shape, work.op->shape_ctx, work.signature->out_types); };
  bool returned = false;
  if (IsInChild(work.op->shape)) {
    std::optional<Status> told = InferInChild(p, work, call, work.signature->out_types);
    returned = told.has_value();
    if (returned) status = *std::move(told);
  } else {
    returned = CallPlugin(p, work, PluginPhase::kShape, &call, infer);
  }
  if (!returned || !status.ok()) {
    // Undo what it recorded before it refused: later nodes must not be blamed for it.
    if (p.IsWorthExplaining()) p.shapes.Forget(equated);
    if (returned) ReportRefusal(p, work, status, call.conflict());
    return false;
  }
  for (uint32_t i = 0; i < n_out; ++i) {
    shapes->push_back(call.output(i) == nullptr ? p.shapes.Unknown() : call.output(i));
    elements->push_back(call.output_elements(i));
  }
  if (!call.uses_values()) KeepKnownShapes(work, {in, *shapes, {}});
  return true;
}

// Plans an output for the arena if its size is known. Strings and resources own their memory, which the arena does not
// plan.
bool PlaceOutput(Planning& p, const NodeWork& work, uint32_t value) {
  PlanValue& v = p.plan.values[value];
  if (!v.rank_known) return true;
  v.sizes = p.plan.Keep(p.shapes.Sizes(p.value_shapes[value]));
  if (!IsWhole(v.shape()) || DTypeSize(v.dtype) == 0) return true;
  const std::optional<int64_t> elements = NumElements(v.shape());
  constexpr int64_t kMostBytes = int64_t{1} << 47;  // per tensor: more than any address space
  if (!elements || *elements > kMostBytes / static_cast<int64_t>(DTypeSize(v.dtype))) {
    Diagnostic& error =
        p.Error("G217",
                fmt::format("an output of op '{}' would have the shape {}, {}", work.op->def.name, ShapeText(v.shape()),
                            elements ? "which is too large for memory" : "which has too many elements"),
                work.node->op.span);
    Explain(p, work, error);
    p.value_shapes[value] = p.shapes.Unknown();  // do not report it again
    v.rank_known = false;
    return false;
  }
  if (!p.in.own_memory) v.memory = PlanValue::Memory::kArena;
  return true;
}

}  // namespace

bool InferShapes(Planning& p, NodeWork& work) {
  const std::vector<DType>& types = work.signature->out_types;
  auto& [in, shapes, elements] = p.shapes_of_node;
  for (std::vector<const opsrun_shape*>* const list : {&in, &shapes, &elements}) list->clear();
  NodeState& state = p.nodes[work.index];
  state.first_value = static_cast<uint32_t>(p.plan.values.size());
  state.signature = work.signature;
  bool placed = true;
  if (p.in.infer_shapes && work.op->shape != nullptr) {
    // Refined shapes include what was learned since they were made.
    for (const uint32_t value : work.inputs) in.push_back(p.shapes.Refined(p.value_shapes[value]));
    if (const std::vector<PlanValue>* const known = FindKnownShapes(p, work, in, &shapes)) {
      for (size_t i = 0; i < types.size(); ++i) p.AddValue((*known)[i], shapes[i]);
      return true;
    }
    placed = RunShapeFunction(p, work, in, &shapes, &elements);
  }
  shapes.resize(types.size(), p.shapes.Unknown());
  elements.resize(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    const uint32_t value = p.AddValue(types[i], shapes[i]);
    p.elements[value] = elements[i];
    placed = placed && PlaceOutput(p, work, value);
  }
  if (placed && work.known->shapes)
    work.known->shapes->values.assign(p.plan.values.begin() + state.first_value, p.plan.values.end());
  return placed;
}

namespace {

Status Call(const RegisteredOp& op, ShapeCall& call, const std::vector<DType>& out_types) {
  PluginCodeFacts facts = op.plugin->Facts(PluginPhase::kShape);
  facts.op = op.def.name;
  // The caller may know the node.
  if (const PluginCode* const outer = RunningCode(); outer != nullptr && outer->Facts().phase == PluginPhase::kShape)
    facts = outer->Facts();
  const SingleCall code(facts);
  const RunningMark mark(&code);
  const FloatingPointMode floats;
  Status status;
  const std::optional<Thrown> thrown = CatchThrown([&] { status = call.Run(op.shape, op.shape_ctx, out_types); });
  floats.Restore();
  if (!thrown) return status;
  return {thrown->out_of_memory ? OPSRUN_RESOURCE_EXHAUSTED : OPSRUN_INTERNAL,
          fmt::format("its shape function {}", thrown->Sentence())};
}

}  // namespace

Result<OpShapeOutputs> InferOpShapes(const RegisteredOp& op, const CallArrays& arrays, const spec::Signature& signature,
                                     const opsrun_host* host, const OpShapeInputs& inputs, spec::ShapeEngine& engine,
                                     ChildPart* part) {
  const std::vector<DType>& out_types = signature.out_types;
  ShapeCall call(host, arrays, engine, inputs.shapes, inputs.values, static_cast<uint32_t>(out_types.size()));
  for (uint32_t i = 0; i < inputs.as_shapes.size(); ++i) call.SetElements(i, inputs.as_shapes[i]);
  OpShapeOutputs outputs;
  std::deque<Tensor> made;
  call.SetLateValues([&](uint32_t input) -> const Tensor* {
    std::optional<Tensor> whole =
        TensorOf(inputs.as_shapes[input], signature.in_types[input], inputs.shapes[input], engine);
    if (whole) return &made.emplace_back(*std::move(whole));
    outputs.wanted.push_back(input);
    return nullptr;
  });
  if (op.shape != nullptr) {
    const Status status = part == nullptr ? Call(op, call, out_types) : InferInChild(*part, call, engine, out_types);
    if (!status.ok()) return status;
  }
  for (uint32_t i = 0; i < out_types.size(); ++i) {
    outputs.shapes.push_back(call.output(i) == nullptr ? engine.Unknown() : call.output(i));
    outputs.as_shapes.push_back(call.output_elements(i));
  }
  outputs.uses_values = call.uses_values();
  return outputs;
}

}  // namespace opsrun::host
