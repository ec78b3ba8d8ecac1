// plugins/array_ops/elements.h: elements by their size.
//
// Kernels that only move elements are compiled for each size: unsigned integers of 1 to 8 bytes, Bytes16, and tstring.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "opsrun/op_kernel.h"
#include "opsrun/shard.h"

namespace array_ops {

using namespace opsrun;

struct Bytes16 {
  uint64_t halves[2];
};

template <typename E>
struct Element {
  typedef E type;
};

// Calls visit(Element<E>()) with the E for the type. Requires: a tensor can hold the type, and it is not a resource.
template <typename Visit>
auto VisitElement(DataType type, const Visit& visit) {
  const int size = DataTypeSize(type);
  if (type == DT_STRING) return visit(Element<tstring>());
  if (size == 1) return visit(Element<uint8_t>());
  if (size == 2) return visit(Element<uint16_t>());
  if (size == 4) return visit(Element<uint32_t>());
  return size == 8 ? visit(Element<uint64_t>()) : visit(Element<Bytes16>());
}

// The elements of a tensor, in row-major order.
template <typename E>
const E* ElementsOf(const Tensor& tensor) {
  if constexpr (std::is_same_v<E, tstring>) return tensor.flat<tstring>().data();
  return static_cast<const E*>(tensor.data());
}
template <typename E>
E* ElementsOf(Tensor* tensor) {
  if constexpr (std::is_same_v<E, tstring>) return tensor->flat<tstring>().data();
  return static_cast<E*>(tensor->data());
}

// A kernel without attrs.
template <Status (*kCompute)(OpKernelContext*)>
class FunctionOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override { OP_REQUIRES_OK(context, kCompute(context)); }
};

// The cost of moving one element; strings are copied one by one.
template <typename E>
constexpr int64 kMovedBytes = std::is_same_v<E, tstring> ? 256 : int64{sizeof(E)};

// Calls work(begin, end) on ranges that cover [0, n), on threads if that pays. An index makes `bytes` bytes of output.
template <typename Work>
void ForIndices(OpKernelContext* context, int64 n, int64 bytes, const Work& work) {
  constexpr int64 kBlockBytes = 64 << 10, kBytesPerNanosecond = 4;
  const int64 block = std::max<int64>(kBlockBytes / std::max<int64>(bytes, 1), 1);
  if (n <= block) return n > 0 ? work(int64{0}, n) : void();
  Shard(context, (n - 1) / block + 1, block * bytes / kBytesPerNanosecond + 1,
        [&](int64 begin, int64 end) { work(begin * block, std::min(end * block, n)); });
}

// All types that tensors outside of a run can hold.
#define ARRAY_OPS_SIZED                                                                                             \
  DT_HALF, DT_BFLOAT16, DT_FLOAT, DT_DOUBLE, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8, DT_UINT16, DT_UINT32, \
      DT_UINT64, DT_COMPLEX64, DT_COMPLEX128, DT_BOOL, DT_QINT8, DT_QUINT8, DT_QINT16, DT_QUINT16, DT_QINT32,       \
      DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN, DT_FLOAT8_E4M3FNUZ, DT_FLOAT8_E4M3B11FNUZ, DT_FLOAT8_E5M2FNUZ
inline constexpr std::initializer_list<DataType> kMoved = {ARRAY_OPS_SIZED, DT_STRING};
// Without strings: a GPU cannot move them, since a tstring may own memory elsewhere.
inline constexpr std::initializer_list<DataType> kMovedOnGpu = {ARRAY_OPS_SIZED};
#undef ARRAY_OPS_SIZED
// The kernel of an op on the CPU that only moves elements.
#define ARRAY_OPS_CPU(name) Name(name).Device(DEVICE_CPU).TypeConstraint("T", kMoved)

template <typename E>
void FillWith(OpKernelContext* context, const E& value, Tensor* tensor) {
  E* to = ElementsOf<E>(tensor);
  ForIndices(context, tensor->NumElements(), kMovedBytes<E>,
             [&](int64 begin, int64 end) { std::fill(to + begin, to + end, value); });
}

// Zeros, false or empty strings.
inline void FillWithZeros(OpKernelContext* context, Tensor* tensor) {
  VisitElement(tensor->dtype(), [&](auto element) { FillWith(context, typename decltype(element)::type(), tensor); });
}

// For ops that compare elements: the bits of a float's sign and of its infinity, or these for other types.
struct NumberBits {
  uint64_t sign = 0;
  uint64_t infinity = ~uint64_t{0};

  // 0.0 and -0.0 have the same key.
  constexpr uint64_t Key(uint64_t bits) const { return (bits & ~sign) == 0 ? 0 : bits; }
  constexpr bool IsZero(uint64_t bits) const { return (bits & ~sign) == 0; }
  constexpr bool IsNan(uint64_t bits) const { return (bits & ~sign) > infinity; }
};

// Requires: the type is a number or bool, but not an 8-bit float.
inline NumberBits BitsOf(DataType type) {
  if (type == DT_HALF) return {0x8000, 0x7C00};
  if (type == DT_BFLOAT16) return {0x8000, 0x7F80};
  if (type == DT_FLOAT) return {0x80000000, 0x7F800000};
  if (type == DT_DOUBLE) return {0x8000000000000000, 0x7FF0000000000000};
  if (type == DT_COMPLEX64) return {0x8000000080000000, ~uint64_t{0}};
  return type == DT_COMPLEX128 ? BitsOf(DT_DOUBLE) : NumberBits();  // of each part
}

}  // namespace array_ops
