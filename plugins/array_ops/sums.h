// plugins/array_ops/sums.h: sums of numbers of any type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elements.h"
#include "opsrun/register_types.h"

namespace array_ops {

using namespace opsrun;

#define ARRAY_OPS_TYPE_OF(T) DataTypeToEnum<T>::value,
inline constexpr std::initializer_list<DataType> kNumbers = {TF_CALL_NUMBER_TYPES(ARRAY_OPS_TYPE_OF)};
#undef ARRAY_OPS_TYPE_OF

// Calls visit(Element<T>()) with a T whose sums and differences have the same bits as those of the type, which is one
// of kNumbers: signed integers are added as unsigned ones.
template <typename Visit>
auto VisitNumber(DataType type, const Visit& visit) {
  switch (type) {
    case DT_HALF:
      return visit(Element<OPSRUN_HALF>());
    case DT_BFLOAT16:
      return visit(Element<bfloat16>());
    case DT_FLOAT:
      return visit(Element<float>());
    case DT_DOUBLE:
      return visit(Element<double>());
    case DT_COMPLEX64:
      return visit(Element<complex64>());
    case DT_COMPLEX128:
      return visit(Element<complex128>());
    default:
      break;
  }
  const int size = DataTypeSize(type);
  if (size == 1) return visit(Element<uint8_t>());
  if (size == 2) return visit(Element<uint16_t>());
  return size == 4 ? visit(Element<uint32_t>()) : visit(Element<uint64_t>());
}

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
void AddTo(SumOf<T>* to, const T* from, int64 n) {
  for (int64 i = 0; i < n; ++i) to[i] = Sum(to[i], static_cast<SumOf<T>>(from[i]));
}

// Calls add(sums), which adds to a zeroed array of the output's size, and converts the sums to the output.
template <typename T, typename Add>
Status MakeSums(OpKernelContext* context, Tensor* output, const Add& add) {
  Tensor wide, *sums = output;
  if constexpr (!std::is_same_v<SumOf<T>, T>) {
    TF_RETURN_IF_ERROR(context->allocate_temp(DataTypeToEnum<SumOf<T>>::value, output->shape(), sums = &wide));
  }
  FillWithZeros(context, sums);
  SumOf<T>* const from = static_cast<SumOf<T>*>(sums->data());
  add(from);
  if constexpr (!std::is_same_v<SumOf<T>, T>) {
    T* const to = static_cast<T*>(output->data());
    ForIndices(context, output->NumElements(), sizeof(SumOf<T>), [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) to[i] = static_cast<T>(from[i]);
    });
  }
  return Status::OK();
}

}  // namespace array_ops
