// host/plan/shape_call.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/shape_call.h"

#include <fmt/format.h>

#include "host/base/abi_level.h"
#include "host/base/units.h"

namespace opsrun::host {
namespace {

// Element i of an int32 or int64 tensor.
int64_t IntAt(const Tensor& tensor, int64_t i) {
  return tensor.dtype() == DType::kInt32 ? static_cast<const int32_t*>(tensor.data())[i]
                                         : static_cast<const int64_t*>(tensor.data())[i];
}

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
      spelled_(in_.size()),
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

Status ShapeCall::Run(int32_t (*shape)(void*, opsrun_shape_call*), void* shape_ctx) {
  const int32_t code = shape(shape_ctx, this);
  if (code == OPSRUN_OK) return OkStatus();
  const Status& reason = failure_.ok() ? refusal_ : failure_;
  if (!reason.ok()) return {KnownCode(code), reason.message(), reason.subject()};
  return {KnownCode(code), fmt::format("its shape function failed with {} and no reason", CodeName(code))};
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
  const Result<const opsrun_dim*> made = engine_.MakeDim(value);
  if (!made.ok()) return Refuse(made.status());
  *dim = *made;
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
  out_[i] = shape;
  return OPSRUN_OK;
}

int32_t ShapeCall::Equate(const opsrun_dim* a, const opsrun_dim* b) {
  if (!engine_.Owns(a) || !engine_.Owns(b))
    return Refuse(Internal("the dimension does not belong to this inference call"));
  const Status status = engine_.Equate(a, b, asker_);
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

int32_t ShapeCall::WantValue(uint32_t i, const opsrun_tensor** value, const opsrun_shape** as_shape) {
  if (i >= n_in) return Refuse(OutOfRange("input", i, n_in));
  const Tensor* known = ValueOf(i);
  if (value != nullptr) *value = known == nullptr ? nullptr : views_.emplace_back(*known, host).get();
  if (as_shape != nullptr) *as_shape = known == nullptr ? spelled_[i] : SpelledShape(*known);
  return OPSRUN_OK;
}

int32_t ShapeCall::SetOutputValue(uint32_t i, const opsrun_shape* shape) {
  if (i >= n_out) return Refuse(OutOfRange("output", i, n_out));
  if (shape != nullptr && !engine_.Owns(shape))
    return Refuse(Internal("the shape given as the value of an output does not belong to this inference call"));
  out_values_[i] = shape;
  return OPSRUN_OK;
}

const opsrun_shape* ShapeCall::SpelledShape(const Tensor& value) {
  if (value.dtype() != DType::kInt32 && value.dtype() != DType::kInt64) return nullptr;
  if (value.shape().empty()) return IntAt(value, 0) == -1 ? engine_.Unknown() : nullptr;
  if (value.shape().size() != 1 || value.num_elements() > OPSRUN_MAX_RANK) return nullptr;
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < value.num_elements(); ++i) {
    sizes.push_back(IntAt(value, i));
    if (sizes.back() < -1) return nullptr;
  }
  return engine_.FromSizes(sizes);
}

}  // namespace opsrun::host
