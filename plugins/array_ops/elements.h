// plugins/array_ops/elements.h: elements by their size.
//
// Kernels that only move elements are compiled once for each size, not for each type: an element is an unsigned integer
// of 1, 2, 4 or 8 bytes, a pair of 16 bytes, or a tstring.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "opsrun/op_kernel.h"
#include "opsrun/shard.h"
#include "opsrun/tstring.h"

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
  if (type == DT_STRING) return visit(Element<tstring>());
  switch (DataTypeSize(type)) {
    case 1:
      return visit(Element<uint8_t>());
    case 2:
      return visit(Element<uint16_t>());
    case 4:
      return visit(Element<uint32_t>());
    case 8:
      return visit(Element<uint64_t>());
    default:
      return visit(Element<Bytes16>());
  }
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

// The cost of moving one element; strings are copied one by one.
template <typename E>
constexpr int64 kMovedBytes = std::is_same_v<E, tstring> ? 256 : int64{sizeof(E)};

// Calls work(begin, end) on disjoint ranges that cover [0, n), on several threads if that pays. Each index produces
// `bytes` bytes of output.
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

// Numbers as bits, for ops that only compare elements.

// The bits of a float's sign and of its infinity. `infinity` is unused for integers, bools and complex numbers.
struct NumberBits {
  uint64_t sign = 0;
  uint64_t infinity = ~uint64_t{0};

  // 0.0 and -0.0 have the same key.
  uint64_t Key(uint64_t bits) const { return (bits & ~sign) == 0 ? 0 : bits; }
  bool IsZero(uint64_t bits) const { return (bits & ~sign) == 0; }
  bool IsNan(uint64_t bits) const { return (bits & ~sign) > infinity; }
};

// Requires: the type is a number or bool, but not an 8-bit float.
inline NumberBits BitsOf(DataType type) {
  switch (type) {
    case DT_HALF:
      return {0x8000, 0x7C00};
    case DT_BFLOAT16:
      return {0x8000, 0x7F80};
    case DT_FLOAT:
      return {0x80000000, 0x7F800000};
    case DT_DOUBLE:
    case DT_COMPLEX128:  // of each part
      return {0x8000000000000000, 0x7FF0000000000000};
    case DT_COMPLEX64:
      return {0x8000000080000000, ~uint64_t{0}};
    default:
      return {};
  }
}

}  // namespace array_ops
