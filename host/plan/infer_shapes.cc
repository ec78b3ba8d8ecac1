// host/plan/infer_shapes.cc: adds a node's outputs as values, with the shapes from its shape function.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/display_text.h"
#include "host/base/plugin_code.h"
#include "host/plan/call_arrays.h"
#include "host/plan/explain/explain.h"
#include "host/plan/planning.h"

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

// Uses the refined shapes, which include what was learned since they were made.
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
    // Undo what it recorded before it refused: later nodes must not be blamed for it.
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

// Plans an output for the arena if its size is known. Strings and resources own their memory, which the arena does not
// plan.
bool PlaceOutput(Planning& p, const NodeWork& work, uint32_t value) {
  PlanValue& v = p.plan.values[value];
  if (!v.rank_known) return true;
  v.shape = p.shapes.Sizes(p.value_shapes[value]);
  if (!IsWhole(v.shape) || DTypeSize(v.dtype) == 0) return true;
  const std::optional<int64_t> elements = NumElements(v.shape);
  constexpr int64_t kMostBytes = int64_t{1} << 47;  // per tensor: more than any address space
  if (!elements || *elements > kMostBytes / static_cast<int64_t>(DTypeSize(v.dtype))) {
    Diagnostic& error =
        p.Error("G217",
                fmt::format("an output of op '{}' would have the shape {}, {}", work.op->def.name, ShapeText(v.shape),
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

namespace {

Status Call(const RegisteredOp& op, ShapeCall& call, const std::vector<DType>& out_types) {
  PluginCodeFacts facts = op.plugin->Facts(PluginPhase::kShape);
  facts.op = op.def.name;
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
                                     const opsrun_host* host, const OpShapeInputs& inputs, spec::ShapeEngine& engine) {
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
    if (Status status = Call(op, call, out_types); !status.ok()) return status;
  }
  for (uint32_t i = 0; i < out_types.size(); ++i) {
    outputs.shapes.push_back(call.output(i) == nullptr ? engine.Unknown() : call.output(i));
    outputs.as_shapes.push_back(call.output_elements(i));
  }
  return outputs;
}

namespace {

// A graph cannot cause this, so the code blames the plugin. The same applies to handles of other calls.
Status OutOfRange(const char* what, uint32_t i, uint32_t count) {
  return Internal(
      fmt::format("the shape function uses {} {} (counted from 0); the op has {}", what, i, Several(count, what)));
}

}  // namespace

ShapeCall::ShapeCall(const opsrun_host* host_table, const CallArrays& arrays, spec::ShapeEngine& engine,
                     std::vector<const opsrun_shape*> in_shapes, std::vector<const Tensor*> values, uint32_t out_count)
    : opsrun_shape_call{},
      engine_(engine),
      in_(std::move(in_shapes)),
      out_(out_count),
      out_values_(out_count),
      values_(std::move(values)),
      elements_(in_.size()),
      looked_up_(in_.size()) {
  size = SizeAt<opsrun_shape_call>(host_table->level);
  kind = OPSRUN_KIND_SHAPE_CALL;
  host = host_table;
  arrays.Fill(*this);
  in = in_.data();
  n_in = static_cast<uint32_t>(in_.size());
  n_out = out_count;
}

void ShapeCall::SetElements(uint32_t i, const opsrun_shape* elements) {
  elements_[i] = elements;
  has_elements_ = has_elements_ || elements != nullptr;
}

Status ShapeCall::Run(int32_t (*shape)(void*, opsrun_shape_call*), void* shape_ctx,
                      const std::vector<DType>& out_types) {
  const int32_t code = shape(shape_ctx, this);
  if (code == OPSRUN_OK) return CheckOutputElements(out_types);
  const Status& reason = failure_.ok() ? refusal_ : failure_;
  if (!reason.ok()) return {KnownCode(code), reason.message(), reason.subject()};
  return {KnownCode(code), fmt::format("its shape function failed with {} but gave no reason", CodeName(code))};
}

Status ShapeCall::CheckOutputElements(const std::vector<DType>& out_types) {
  for (uint32_t i = 0; i < n_out; ++i) {
    const Result<const opsrun_shape*> checked = CheckElements(out_values_[i], out_types[i], out_[i], engine_);
    if (!checked.ok()) return checked.status();
    out_values_[i] = *checked;
  }
  return OkStatus();
}

int32_t ShapeCall::Fail(int32_t code, std::string text, std::string subject) {
  if (code == OPSRUN_OK) code = OPSRUN_UNKNOWN;
  if (failure_.ok()) failure_ = Status(code, std::move(text), std::move(subject));
  return code;
}

int32_t ShapeCall::Refuse(const Status& status) {
  if (refusal_.ok()) refusal_ = status;
  return status.code();
}

int32_t ShapeCall::MakeDim(int64_t value, const opsrun_dim** dim) {
  *dim = engine_.MakeDim(value);
  return OPSRUN_OK;
}

int32_t ShapeCall::MakeShape(int32_t rank, const opsrun_dim* const* dims, const opsrun_shape** shape) {
  const Result<const opsrun_shape*> made = engine_.MakeShape(rank, dims);
  if (!made.ok()) return Refuse(made.status());
  *shape = *made;
  return OPSRUN_OK;
}

int32_t ShapeCall::SetOutput(uint32_t i, const opsrun_shape* shape) {
  if (i >= n_out) return Refuse(OutOfRange("output", i, n_out));
  if (shape != nullptr && !engine_.Owns(shape))
    return Refuse(Internal("the shape given for an output does not belong to this inference call"));
  if (shape != nullptr) {
    const Result<const opsrun_shape*> sizes = engine_.AsSizes(shape);
    if (!sizes.ok()) return Refuse(sizes.status());
    shape = *sizes;
    engine_.MarkSizes(shape);
  }
  out_[i] = shape;
  return OPSRUN_OK;
}

int32_t ShapeCall::Equate(const opsrun_dim* a, const opsrun_dim* b) {
  if (!engine_.Owns(a) || !engine_.Owns(b))
    return Refuse(Internal("the dimension does not belong to this inference call"));
  const Status status = engine_.Equate(a, b, asker_);
  if (!status.ok() && (engine_.Known(a) < 0 || engine_.Known(b) < 0)) conflict_ = status.message();
  return status.ok() ? OPSRUN_OK : Refuse(status);
}

int32_t ShapeCall::DimOp(uint32_t op, const opsrun_dim* a, const opsrun_dim* b, const opsrun_dim** out) {
  if (!engine_.Owns(a) || !engine_.Owns(b))
    return Refuse(Internal("the dimension does not belong to this inference call"));
  const Result<const opsrun_dim*> made = engine_.DimOp(op, a, b);
  if (!made.ok()) return Refuse(made.status());
  *out = *made;
  return OPSRUN_OK;
}

const Tensor* ShapeCall::ValueOf(uint32_t i) {
  if (values_[i] == nullptr && late_ && !looked_up_[i]) {
    looked_up_[i] = true;
    values_[i] = late_(i);
  }
  return values_[i];
}

// A function that wants only the elements passes them on. Running nodes ahead for that pays off only if another input
// has elements that no run ahead can provide.
int32_t ShapeCall::WantValue(uint32_t i, const opsrun_tensor** value, const opsrun_shape** as_shape) {
  if (i >= n_in) return Refuse(OutOfRange("input", i, n_in));
  const bool needs_value = value != nullptr || (has_elements_ && elements_[i] == nullptr);
  const Tensor* known = needs_value ? ValueOf(i) : values_[i];
  if (value != nullptr) *value = known == nullptr ? nullptr : views_.emplace_back(*known, host).get();
  if (as_shape == nullptr) return OPSRUN_OK;
  *as_shape = known == nullptr ? elements_[i] : ElementsOf(*known, engine_);
  return OPSRUN_OK;
}

int32_t ShapeCall::SetOutputValue(uint32_t i, const opsrun_shape* shape) {
  if (i >= n_out) return Refuse(OutOfRange("output", i, n_out));
  if (shape != nullptr && !engine_.Owns(shape))
    return Refuse(Internal("the shape given as the value of an output does not belong to this inference call"));
  out_values_[i] = shape;
  return OPSRUN_OK;
}

namespace {

template <auto kMember>
struct ShapeSlot;
template <typename... Args, int32_t (ShapeCall::*kMember)(Args...)>
struct ShapeSlot<kMember> {
  static int32_t Call(opsrun_shape_call* call, Args... args) {
    return (static_cast<ShapeCall*>(call)->*kMember)(args...);
  }
};

}  // namespace

void SetShapeSlots(opsrun_host& table) {
  table.make_dim = ShapeSlot<&ShapeCall::MakeDim>::Call;
  table.make_shape = ShapeSlot<&ShapeCall::MakeShape>::Call;
  table.set_output_shape = ShapeSlot<&ShapeCall::SetOutput>::Call;
  table.equate = ShapeSlot<&ShapeCall::Equate>::Call;
  table.dim_op = ShapeSlot<&ShapeCall::DimOp>::Call;
  table.want_value = ShapeSlot<&ShapeCall::WantValue>::Call;
  table.set_output_value = ShapeSlot<&ShapeCall::SetOutputValue>::Call;
}

}  // namespace opsrun::host
