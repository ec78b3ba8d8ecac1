// plugins/array_ops/tile_ops.h: sums of numbers of any type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elements.h"

namespace array_ops {

// Integers wrap; 16-bit floats are added as float and rounded.
template <typename T>
T Sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + 0u + static_cast<std::make_unsigned_t<T>>(b));
  } else if constexpr (sizeof(T) == 2) {
    return static_cast<T>(static_cast<float>(a) + static_cast<float>(b));
  } else {
    return a + b;
  }
}
template <typename T>
T Difference(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + 0u - static_cast<std::make_unsigned_t<T>>(b));
  } else if constexpr (sizeof(T) == 2) {
    return static_cast<T>(static_cast<float>(a) - static_cast<float>(b));
  } else {
    return a - b;
  }
}

// The accumulator for sums of many T: 16-bit floats are rounded once, at the end.
template <typename T>
using SumOf = std::conditional_t<!std::is_integral_v<T> && sizeof(T) == 2, float, T>;

template <typename T>
void AddTo(SumOf<T>* to, const T* from, opsrun::int64 n) {
  for (opsrun::int64 i = 0; i < n; ++i) to[i] = Sum(to[i], static_cast<SumOf<T>>(from[i]));
}

// Calls add(sums), which adds to a zeroed array of the output's size, and converts the sums to the output.
template <typename T, typename Add>
opsrun::Status MakeSums(opsrun::OpKernelContext* context, opsrun::Tensor* output, const Add& add) {
  opsrun::Tensor wide, *sums = output;
  if constexpr (!std::is_same_v<SumOf<T>, T>) {
    TF_RETURN_IF_ERROR(context->allocate_temp(opsrun::DataTypeToEnum<SumOf<T>>::value, output->shape(), sums = &wide));
  }
  FillWithZeros(context, sums);
  SumOf<T>* const from = sums->flat<SumOf<T>>().data();
  add(from);
  if constexpr (!std::is_same_v<SumOf<T>, T>) {
    T* const to = output->flat<T>().data();
    ForIndices(context, output->NumElements(), sizeof(SumOf<T>), [&](opsrun::int64 begin, opsrun::int64 end) {
      for (opsrun::int64 i = begin; i < end; ++i) to[i] = static_cast<T>(from[i]);
    });
  }
  return opsrun::Status::OK();
}

}  // namespace array_ops
