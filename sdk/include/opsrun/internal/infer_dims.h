// opsrun/internal/infer_dims.h: dimensions of an InferenceContext: creation, merging, arithmetic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "opsrun/shape_inference.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

OPSRUN_COLD inline std::string InferenceContext::DebugString(DimensionHandle d) {
  return ValueKnown(d) ? std::to_string(Value(d)) : "?";
}

OPSRUN_COLD inline Status InferenceContext::NewDim(int64_t value, DimensionHandle* out) {
  const opsrun_dim* dim = nullptr;
  const int32_t code = value < kUnknownDim ? OPSRUN_INVALID_ARGUMENT : call_->host->make_dim(call_, value, &dim);
  *out = DimensionHandle(dim);
  if (code == OPSRUN_OK) return Status();
  return Status(static_cast<error::Code>(code), internal::StrCat("A dimension cannot have size ", value));
}

OPSRUN_COLD inline Status InferenceContext::Give(DimensionOrConstant d, DimensionHandle* out) {
  if (!d.dim.IsSet()) return NewDim(d.val, out);
  *out = d.dim;
  return Status();
}

OPSRUN_COLD inline DimensionHandle InferenceContext::MakeDim(DimensionOrConstant d) {
  DimensionHandle made;
  Require(Give(d, &made));
  return made;
}

OPSRUN_COLD inline Status InferenceContext::Equate(DimensionHandle d, DimensionHandle e) {
  if (!d.IsSet() || !e.IsSet()) return Status();
  const int32_t code = call_->host->equate(call_, d.dim_, e.dim_);
  if (code == OPSRUN_OK) return Status();
  return Status(static_cast<error::Code>(code), "Two dimensions must be equal, but are known to differ")
      .Blame(SubjectsOf(d, e));
}

OPSRUN_COLD inline Status InferenceContext::Ask(uint32_t dim_op, DimensionHandle d, DimensionOrConstant e,
                                                DimensionHandle* out) {
  DimensionHandle a, b;
  TF_RETURN_IF_ERROR(Give(d, &a));
  TF_RETURN_IF_ERROR(Give(e, &b));
  const opsrun_dim* result = nullptr;
  const int32_t code = call_->host->dim_op(call_, dim_op, a.dim_, b.dim_, &result);
  *out = DimensionHandle(result);
  return Status(static_cast<error::Code>(code), "The host cannot compute with an unknown dimension");
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::WithValue(DimensionHandle d, int64_t value, DimensionHandle* out) {
  *out = DimensionHandle();
  if (Value(d) != value && ValueKnown(d)) return Error(d, {"Dimension must be ", value, " but is ", Value(d)});
  DimensionHandle known = d;
  if (Value(d) != value) {
    TF_RETURN_IF_ERROR(NewDim(value, &known));
    TF_RETURN_IF_ERROR(Equate(d, known));
  }
  *out = known;
  return Status();
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::Merge(DimensionHandle d, DimensionHandle e, DimensionHandle* out) {
  *out = DimensionHandle();
  const bool both_known = ValueKnown(d) && ValueKnown(e);
  if (both_known && Value(d) != Value(e)) {
    return Conflict(d, e, {"Dimensions must be equal, got ", Value(d), " and ", Value(e)});
  }
  if (!both_known && !d.SameHandle(e)) TF_RETURN_IF_ERROR(Equate(d, e));
  *out = ValueKnown(d) || !ValueKnown(e) ? d : e;
  return Status();
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::Add(DimensionHandle d, DimensionOrConstant e,
                                                        DimensionHandle* out) {
  *out = DimensionHandle();
  const int64_t a = Value(d), b = Value(e);
  if (a == 0) return Give(e, out);
  if (b == 0) return Give(d, out);
  if (a < 0 || b < 0) return Ask(OPSRUN_DIM_ADD, d, e, out);
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return Error(d, {"Dimension overflows: ", a, " + ", b});
  return NewDim(sum, out);
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::Subtract(DimensionHandle d, DimensionOrConstant e,
                                                             DimensionHandle* out) {
  *out = DimensionHandle();
  const int64_t a = Value(d), b = Value(e);
  if (b == 0) return Give(d, out);
  if (a < 0 || b < 0) return Ask(OPSRUN_DIM_SUB, d, e, out);
  if (a < b) return Error(d, {"Dimension is negative: ", a, " - ", b});
  return NewDim(a - b, out);
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::Multiply(DimensionHandle d, DimensionOrConstant e,
                                                             DimensionHandle* out) {
  *out = DimensionHandle();
  const int64_t a = Value(d), b = Value(e);
  if (a == 0) return Give(d, out);
  if (b == 0 || a == 1) return Give(e, out);
  if (b == 1) return Give(d, out);
  if (a < 0 || b < 0) return Ask(OPSRUN_DIM_MUL, d, e, out);
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return Error(d, {"Dimension overflows: ", a, " * ", b});
  return NewDim(product, out);
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::Divide(DimensionHandle d, DimensionOrConstant divisor, bool evenly,
                                                           DimensionHandle* out) {
  *out = DimensionHandle();
  const int64_t a = Value(d), b = Value(divisor);
  if (b == 1) return Give(d, out);
  if (b < 0 && divisor.dim.IsSet()) return Ask(OPSRUN_DIM_FLOORDIV, d, divisor, out);
  // While the dividend is unknown, an invalid divisor is not an error yet.
  if (a < 0) return b <= 0 ? NewDim(kUnknownDim, out) : Ask(OPSRUN_DIM_FLOORDIV, d, divisor, out);
  if (b <= 0) return Error(d, {"A dimension of ", a, " is divided by ", b, "; the divisor must be above 0"});
  if (evenly && a % b != 0) return Error(d, {"A dimension of ", a, " must be a multiple of ", b});
  return NewDim(a / b, out);
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::Min(DimensionHandle d, DimensionOrConstant e,
                                                        DimensionHandle* out) {
  *out = DimensionHandle();
  const int64_t a = Value(d), b = Value(e);
  if (a == 0) return Give(d, out);
  if (b == 0) return Give(e, out);
  if (a < 0 || b < 0) return Ask(OPSRUN_DIM_MIN, d, e, out);
  return a <= b ? Give(d, out) : Give(e, out);
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::Max(DimensionHandle d, DimensionOrConstant e,
                                                        DimensionHandle* out) {
  *out = DimensionHandle();
  const int64_t a = Value(d), b = Value(e);
  if (a < 0 || b < 0) return Ask(OPSRUN_DIM_MAX, d, e, out);
  return a >= b ? Give(d, out) : Give(e, out);
}

OPSRUN_COLD inline DimensionHandle InferenceContext::NumElements(ShapeHandle s) {
  if (!RankKnown(s)) return UnknownDim();
  int64_t known = 1;
  bool overflow = false;
  std::vector<DimensionHandle> unknown;
  for (int32_t i = 0; i < Rank(s); ++i) {
    const DimensionHandle d = DimKnownRank(s, i);
    if (Value(d) == 0) return MakeDim(0);
    if (ValueKnown(d)) overflow = __builtin_mul_overflow(known, Value(d), &known) || overflow;
    if (!ValueKnown(d)) unknown.push_back(d);
  }
  if (overflow && unknown.empty()) {
    internal::Fail(Error(s, {"Shape ", DebugString(s), " has more elements than an int64 can count"}));
  }
  // An unknown dimension may turn out to be 0, in which case the product does not overflow.
  DimensionHandle product = MakeDim(overflow ? kUnknownDim : known);
  for (const DimensionHandle d : unknown) {
    Require(Ask(OPSRUN_DIM_MUL, product, d, &product));
  }
  return product;
}

// Partly known elements of inputs and outputs.

// See set_output_value in c_api.h for how elements that are not sizes are represented as dimensions.
OPSRUN_COLD inline KnownElement InferenceContext::ElementOf(const opsrun_dim& dim) {
  if (dim.value >= kUnknownDim) return KnownElement(DimensionHandle(&dim));
  return dim.value == KnownElement::kNothing ? KnownElement() : KnownElement(dim.value + 1);
}

OPSRUN_COLD inline const opsrun_dim* InferenceContext::DimOf(const KnownElement& element) {
  if (element.size().IsSet()) return element.size().dim_;
  if (element.known() && element.value() >= 0) return MakeDim(element.value()).dim_;
  const opsrun_dim* dim = nullptr;
  const bool has_room = element.known() && element.value() > KnownElement::kNothing + 1;
  const int32_t code = call_->host->make_dim(call_, has_room ? element.value() - 1 : KnownElement::kNothing, &dim);
  Require(Status(static_cast<error::Code>(code), "The host does not take this element"));
  return dim;
}

OPSRUN_COLD inline std::optional<std::vector<KnownElement>> InferenceContext::ReadElements(int64_t i) {
  const ShapeHandle shape = input(i), known = WantSpelled(i);
  int64_t count = FullyDefined(shape) ? 1 : Rank(known);
  for (int32_t k = 0; FullyDefined(shape) && k < Rank(shape); ++k) {
    if (__builtin_mul_overflow(count, Value(DimKnownRank(shape, k)), &count)) return std::nullopt;
  }
  if (count < 0 || count > OPSRUN_MAX_RANK) return std::nullopt;
  std::vector<KnownElement> elements(static_cast<size_t>(count));
  for (int32_t k = 0; Rank(known) == count && k < Rank(known); ++k) {
    elements[static_cast<size_t>(k)] = ElementOf(*known.shape_->dims[k]);
  }
  return elements;
}

OPSRUN_COLD inline std::optional<std::vector<KnownElement>> InferenceContext::input_elements(int64_t i) {
  const Tensor* given = WantValue(i);
  std::optional<std::vector<KnownElement>> elements = ReadElements(i);
  // The host does not know values that override its own.
  if (given == nullptr || given != inputs_[static_cast<size_t>(i)].given) return elements;
  for (size_t k = 0; elements && k < elements->size(); ++k) {
    int64_t value = 0;
    if (ReadInt(*given, static_cast<int64_t>(k), &value).ok()) (*elements)[k] = value;
  }
  return elements;
}

OPSRUN_COLD inline std::optional<std::vector<KnownElement>> InferenceContext::passed_elements(int64_t i) {
  return FullyDefined(input(i)) ? ReadElements(i) : std::nullopt;
}

OPSRUN_COLD inline void InferenceContext::set_output_elements(int64_t i, const std::vector<KnownElement>& elements) {
  const uint32_t at = CheckIndex(i, call_->n_out, "output");
  const bool is_known = std::any_of(elements.begin(), elements.end(),
                                    [](const KnownElement& element) { return element.known() || element.is_size(); });
  if (elements.size() > OPSRUN_MAX_RANK || (!is_known && !elements.empty())) return;
  std::vector<const opsrun_dim*> dims;
  for (const KnownElement& element : elements) dims.push_back(DimOf(element));
  ShapeHandle stated;
  Require(Make(static_cast<int32_t>(dims.size()), dims.data(), &stated));
  const int32_t code = call_->host->set_output_value(call_, at, stated.shape_);
  if (code == OPSRUN_OK) return;
  internal::Fail(Status(static_cast<error::Code>(code), internal::StrCat("The host refuses ", elements.size(),
                                                                         " elements as the value of output ", i)));
}

OPSRUN_COLD inline void InferenceContext::set_output_tensor_as_shape(int64_t i, ShapeHandle shape) {
  CheckIndex(i, call_->n_out, "output");
  std::vector<KnownElement> sizes;
  for (int32_t k = 0; k < Rank(shape); ++k) sizes.push_back(DimKnownRank(shape, k));
  if (RankKnown(shape)) set_output_elements(i, sizes);
}

OPSRUN_COLD inline DimensionHandle InferenceContext::SizeOf(const KnownElement& element) {
  if (element.size().IsSet()) return element.size();
  return MakeDim(element.is_size() ? element.value() : kUnknownDim);
}

OPSRUN_COLD inline Status InferenceContext::ReadSizes(ShapeHandle elements, ShapeHandle* out) {
  std::vector<DimensionHandle> sizes;
  bool all_sizes = true;
  for (int32_t k = 0; k < Rank(elements); ++k) {
    const KnownElement element = ElementOf(*elements.shape_->dims[k]);
    if (element.known() && element.value() < -1) {
      return internal::Invalid({"Dimension ", k, " has size ", element.value(), ", below -1"});
    }
    all_sizes = all_sizes && element.size().IsSet();
    sizes.push_back(SizeOf(element));
  }
  if (!all_sizes) return NewShape(sizes, out);
  *out = elements;
  return Status();
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN
