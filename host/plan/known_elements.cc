// host/plan/known_elements.cc: see known_elements.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/known_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "host/base/units.h"
#include "host/spec/element.h"

namespace opsrun::host {
namespace {

// Calls visit with a pointer to elements of the C++ type; false for other types.
template <typename Visit>
bool VisitIntegers(DType dtype, void* data, const Visit& visit) {
  switch (dtype) {
    case DType::kInt32:
      return visit(static_cast<int32_t*>(data)), true;
    case DType::kInt64:
      return visit(static_cast<int64_t*>(data)), true;
    case DType::kUInt32:
      return visit(static_cast<uint32_t*>(data)), true;
    case DType::kUInt64:
      return visit(static_cast<uint64_t*>(data)), true;
    default:
      return false;
  }
}

bool HasElements(DType dtype) {
  return VisitIntegers(dtype, nullptr, [](auto*) {});
}

template <typename T>
bool Fits(int64_t number) {
  return std::in_range<T>(number);
}

bool FitsType(DType dtype, int64_t number) {
  bool fits = false;
  VisitIntegers(dtype, nullptr, [&]<typename T>(T*) { fits = Fits<T>(number); });
  return fits;
}

// The number of elements; nothing unless all sizes are known and it fits.
std::optional<int64_t> CountElements(const opsrun_shape* shape, const spec::ShapeEngine& engine) {
  if (shape == nullptr || shape->rank < 0) return std::nullopt;
  Shape sizes;
  for (int32_t i = 0; i < shape->rank; ++i) sizes.push_back(engine.Known(shape->dims[i]));
  if (std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 0; })) return std::nullopt;
  return NumElements(sizes);
}

const opsrun_dim* Fitting(const opsrun_dim* element, DType dtype, spec::ShapeEngine& engine) {
  const std::optional<int64_t> number = spec::NumberOf(element->value);
  return !number || FitsType(dtype, *number) ? element : engine.MakeDim(spec::kNothingKnown);
}

}  // namespace

const opsrun_shape* ElementsOf(const Tensor& tensor, spec::ShapeEngine& engine) {
  if (!HasElements(tensor.dtype()) || tensor.num_elements() > OPSRUN_MAX_RANK) return nullptr;
  std::vector<const opsrun_dim*> elements;
  VisitIntegers(tensor.dtype(), const_cast<void*>(tensor.data()), [&](const auto* data) {
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      const bool fits = std::in_range<int64_t>(data[i]);
      elements.push_back(
          engine.MakeDim(fits ? spec::ElementValue(static_cast<int64_t>(data[i])) : spec::kNothingKnown));
    }
  });
  return *engine.MakeShape(static_cast<int32_t>(elements.size()), elements.data());
}

bool AllKnown(const opsrun_shape* elements, const spec::ShapeEngine& engine) {
  return elements != nullptr && std::all_of(elements->dims, elements->dims + elements->rank, [&](const opsrun_dim* e) {
           return spec::NumberOf(engine.Known(e)).has_value();
         });
}

std::optional<Tensor> TensorOf(const opsrun_shape* elements, DType dtype, const opsrun_shape* shape,
                               const spec::ShapeEngine& engine) {
  if (elements == nullptr || CountElements(shape, engine) != elements->rank) return std::nullopt;
  std::vector<int64_t> numbers;
  for (int32_t i = 0; i < elements->rank; ++i) {
    const std::optional<int64_t> number = spec::NumberOf(engine.Known(elements->dims[i]));
    if (!number || !FitsType(dtype, *number)) return std::nullopt;
    numbers.push_back(*number);
  }
  Shape sizes;
  for (int32_t i = 0; i < shape->rank; ++i) sizes.push_back(engine.Known(shape->dims[i]));
  Result<Tensor> tensor = Tensor::Create(dtype, sizes);
  if (!tensor.ok()) return std::nullopt;
  VisitIntegers(dtype, tensor->mutable_data(), [&]<typename T>(T* data) {
    std::transform(numbers.begin(), numbers.end(), data, [](int64_t number) { return static_cast<T>(number); });
  });
  return *std::move(tensor);
}

Result<const opsrun_shape*> CheckElements(const opsrun_shape* stated, DType dtype, const opsrun_shape* shape,
                                          spec::ShapeEngine& engine) {
  if (stated == nullptr || stated->rank < 0 || !HasElements(dtype)) return nullptr;
  if (const std::optional<int64_t> count = CountElements(shape, engine); count && *count != stated->rank) {
    return Internal(fmt::format("the shape function states a value of {} for an output of {}",
                                Several(static_cast<size_t>(stated->rank), "element"), *count));
  }
  std::vector<const opsrun_dim*> elements(stated->dims, stated->dims + stated->rank);
  for (const opsrun_dim*& element : elements) element = Fitting(element, dtype, engine);
  const bool nothing = std::all_of(elements.begin(), elements.end(),
                                   [](const opsrun_dim* element) { return element->value == spec::kNothingKnown; });
  return nothing && !elements.empty() ? nullptr : *engine.MakeShape(stated->rank, elements.data());
}

}  // namespace opsrun::host
