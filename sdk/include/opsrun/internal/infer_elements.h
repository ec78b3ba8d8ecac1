// opsrun/internal/infer_elements.h: elements of inputs and outputs that an InferenceContext knows in part.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "opsrun/shape_inference.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

// c_api.h says at set_output_value how elements that are not sizes are written as dimensions.
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
  if (code != OPSRUN_OK) internal::Fail(Status(static_cast<error::Code>(code), "The host takes no such element"));
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
  // Values that override those of the host are not known to it.
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
