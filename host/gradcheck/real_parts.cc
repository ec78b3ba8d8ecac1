// host/gradcheck/real_parts.cc: see real_parts.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradcheck/real_parts.h"

#include <complex>

#include "host/tensor/number_type.h"

namespace opsrun::host {

size_t PartsOf(DType dtype) {
  return dtype == DType::kComplex64 || dtype == DType::kComplex128 ? 2 : 1;
}

DType PreciseType(DType dtype) {
  return PartsOf(dtype) == 2 ? DType::kComplex128 : DType::kFloat64;
}

std::vector<double> RealParts(const Tensor& tensor) {
  std::vector<double> parts;
  WithNumberType(tensor.dtype(), [&]<typename T>(T) {
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      const T element = ElementAt<T>(tensor, i);
      if constexpr (kIsComplex<T>) {
        parts.insert(parts.end(), {double{element.real()}, double{element.imag()}});
      } else {
        parts.push_back(static_cast<double>(element));
      }
    }
  });
  return parts;
}

Result<Tensor> FromRealParts(DType dtype, const Shape& shape, const std::vector<double>& parts) {
  Result<Tensor> tensor = Tensor::Create(dtype, shape);
  if (!tensor.ok()) return tensor;
  WithNumberType(dtype, [&]<typename T>(T) {
    T* const elements = static_cast<T*>(tensor->mutable_data());
    for (int64_t i = 0; i < tensor->num_elements(); ++i) {
      if constexpr (kIsComplex<T>) {
        using Part = typename T::value_type;
        elements[i] = {static_cast<Part>(parts[2 * i]), static_cast<Part>(parts[2 * i + 1])};
      } else {
        elements[i] = static_cast<T>(parts[i]);
      }
    }
  });
  return tensor;
}

}  // namespace opsrun::host
