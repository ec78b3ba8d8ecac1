// plugins/array_ops/range.h: Range, on any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elements.h"
#include "indices.h"
#include "opsrun/register_types.h"

#ifdef OPSRUN_GPU_CODE
#define ARRAY_OPS_ANY_SIDE inline __host__ __device__
#else
#define ARRAY_OPS_ANY_SIDE inline
#endif

namespace array_ops {

inline constexpr const char* kRangeNames[] = {"start", "limit", "delta"};

#define RANGE_CALL_TYPES(m) \
  TF_CALL_half(m) TF_CALL_bfloat16(m) TF_CALL_float(m) TF_CALL_double(m) TF_CALL_int32(m) TF_CALL_int64(m)

// The type in which the numbers are computed.
template <typename T>
using RangeWide = std::conditional_t<std::is_integral_v<T>, int64, std::conditional_t<(sizeof(T) < 4), float, T>>;

// Rounded before it is added to something: nvcc would make both one operation, the C++ compiler does not.
template <typename Float>
ARRAY_OPS_ANY_SIDE Float RoundedProduct(Float x, Float y) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Float) == 8) return __dmul_rn(x, y);
  if constexpr (sizeof(Float) == 4) return __fmul_rn(x, y);
#endif
  return x * y;
}

// Number i. The distance from the start may exceed the range of the type.
template <typename T>
ARRAY_OPS_ANY_SIDE T RangeNumber(RangeWide<T> start, int64 i, RangeWide<T> delta) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64>(start) + static_cast<uint64>(i) * static_cast<uint64>(delta));
  } else {
    return static_cast<T>(start + RoundedProduct(static_cast<RangeWide<T>>(i), delta));
  }
}

// The number of elements; also for shape functions. INVALID_ARGUMENT: delta leads away from limit, a number is not
// finite, or there would be too many.
template <typename T>
Status CountRange(const Tensor& start, const Tensor& limit, const Tensor& delta, int64* count);

// kFill writes the numbers.
template <typename T, Status (*kFill)(OpKernelContext*, RangeWide<T> start, RangeWide<T> delta, int64 count, T* to)>
Status MakeRange(OpKernelContext* context) {
  for (int i = 0; i < 3; ++i) TF_RETURN_IF_ERROR(CheckScalar(context->input(i).shape(), kRangeNames[i]));
  const Tensor &start = context->input(0), &limit = context->input(1), &delta = context->input(2);
  int64 count = 0;
  TF_RETURN_IF_ERROR(CountRange<T>(start, limit, delta, &count));
  Tensor* output = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(0, TensorShape({count}), &output));
  return kFill(context, static_cast<RangeWide<T>>(*static_cast<const T*>(start.data())),
               static_cast<RangeWide<T>>(*static_cast<const T*>(delta.data())), count, static_cast<T*>(output->data()));
}

}  // namespace array_ops
