// host/plan/shape_call.cc: what a shape function may ask and say.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "host/base/display_text.h"
#include "host/plan/call_arrays.h"

namespace opsrun::host {
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
      types_(arrays.args()->types),
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
  uses_values_ = uses_values_ || value != nullptr || HasElements(DTypeFromNumber(types_[i]));
  const bool needs_value = value != nullptr || (has_elements_ && elements_[i] == nullptr);
  const Tensor* known = needs_value ? ValueOf(i) : values_[i];
  if (value != nullptr) *value = known == nullptr ? nullptr : views_.emplace_back(*known, host).get();
  if (as_shape == nullptr) return OPSRUN_OK;
  *as_shape = known == nullptr ? elements_[i] : ElementsOf(*known, engine_);
  return OPSRUN_OK;
}

int32_t ShapeCall::SetOutputValue(uint32_t i, const opsrun_shape* shape) {
  if (i >= n_out) return Refuse(OutOfRange("output", i, n_out));
  uses_values_ = uses_values_ || HasElements(DTypeFromNumber(types_[n_in + i]));
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
