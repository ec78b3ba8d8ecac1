// host/tensor/number_type.h: maps a data type to the C++ type of its elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <type_traits>

#include "host/base/dtype.h"
#include "host/tensor/small_floats.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// Calls fn with a number of the C++ type of an element in memory, and returns its result. Bools are uint8_t, quantized
// types are their integers. Requires: DTypeSize(dtype) != 0.
template <typename Fn>
auto WithNumberType(DType dtype, Fn fn) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kQInt8:
      return fn(int8_t());
    case DType::kInt16:
    case DType::kQInt16:
      return fn(int16_t());
    case DType::kInt32:
    case DType::kQInt32:
      return fn(int32_t());
    case DType::kInt64:
      return fn(int64_t());
    case DType::kUInt16:
    case DType::kQUInt16:
      return fn(uint16_t());
    case DType::kUInt32:
      return fn(uint32_t());
    case DType::kUInt64:
      return fn(uint64_t());
    case DType::kFloat16:
      return fn(Half());
    case DType::kBFloat16:
      return fn(BFloat16());
    case DType::kFloat8E5M2:
      return fn(Float8E5M2());
    case DType::kFloat8E4M3FN:
      return fn(Float8E4M3FN());
    case DType::kFloat8E4M3FNUZ:
      return fn(Float8E4M3FNUZ());
    case DType::kFloat8E4M3B11FNUZ:
      return fn(Float8E4M3B11FNUZ());
    case DType::kFloat8E5M2FNUZ:
      return fn(Float8E5M2FNUZ());
    case DType::kFloat32:
      return fn(float());
    case DType::kFloat64:
      return fn(double());
    case DType::kComplex64:
      return fn(std::complex<float>());
    case DType::kComplex128:
      return fn(std::complex<double>());
    default:  // bool, uint8 and quint8
      return fn(uint8_t());
  }
}

// Floats of 8 and 16 bits, which are structs with their bit pattern.
template <typename T>
inline constexpr bool kIsSmallFloat = requires(T number) {
  number.bits;
};

template <typename T>
inline constexpr bool kIsComplex = !std::is_convertible_v<T, double>;

// A type that holds a number of type T exactly: integers themselves, otherwise double or complex<double>.
template <typename T>
using Wide =
    std::conditional_t<std::is_integral_v<T>, T, std::conditional_t<kIsComplex<T>, std::complex<double>, double>>;

template <typename T>
T ElementAt(const Tensor& tensor, int64_t place) {
  return static_cast<const T*>(tensor.data())[place];
}

}  // namespace opsrun::host
