// host/plan/shape_call.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/shape_call.h"

#include <fmt/format.h>

#include "host/base/abi_level.h"
#include "host/base/units.h"
#include "host/plan/known_elements.h"

namespace opsrun::host {
namespace {

// No graph can cause this, so the code says that the plugin is at fault. The same holds for handles of other calls.
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
  attrs = arrays.attrs().data();
  in_args = arrays.in_args().data();
  out_args = arrays.out_args().data();
  in = in_.data();
  n_attrs = static_cast<uint32_t>(arrays.attrs().size());
  n_in_args = static_cast<uint32_t>(arrays.in_args().size());
  n_out_args = static_cast<uint32_t>(arrays.out_args().size());
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
  return {KnownCode(code), fmt::format("its shape function failed with {} and no reason", CodeName(code))};
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

// Elements alone are asked for to pass them on: that is worth a run ahead only beside others that no run gives.
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

}  // namespace opsrun::host
