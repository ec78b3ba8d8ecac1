// plugins/math_ops/types.h: lists of element types, and the types in which elements are computed.
//
// A kernel serves all types of its op: it selects one loop from a table when the graph is planned. So a kernel is
// compiled once, and only its loops are compiled for each type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <initializer_list>
#include <type_traits>

#include "opsrun/op_kernel.h"
#include "opsrun/shard.h"

namespace math_ops {

using opsrun::bfloat16;
using opsrun::complex128;
using opsrun::complex64;
using opsrun::int64;
typedef OPSRUN_HALF half;

template <typename... Ts>
struct TypeList {};

template <typename... As, typename... Bs>
TypeList<As..., Bs...> operator+(TypeList<As...>, TypeList<Bs...>);
template <typename A, typename B>
using Join = decltype(A() + B());

// Each TypeList is followed by the same types in the syntax of op specs.
typedef TypeList<half, bfloat16, float, double> Floats;
#define MATH_OPS_FLOATS "half, bfloat16, float, double"
typedef TypeList<complex64, complex128> Complexes;
#define MATH_OPS_COMPLEXES "complex64, complex128"
typedef TypeList<int8_t, int16_t, int32_t, int64_t> SignedInts;
#define MATH_OPS_SIGNED_INTS "int8, int16, int32, int64"
typedef TypeList<uint8_t, uint16_t, uint32_t, uint64_t> UnsignedInts;
#define MATH_OPS_UNSIGNED_INTS "uint8, uint16, uint32, uint64"
typedef Join<SignedInts, UnsignedInts> Ints;
#define MATH_OPS_INTS MATH_OPS_SIGNED_INTS ", " MATH_OPS_UNSIGNED_INTS
typedef Join<Floats, Ints> RealNumbers;
#define MATH_OPS_REAL_NUMBERS MATH_OPS_FLOATS ", " MATH_OPS_INTS
typedef Join<RealNumbers, Complexes> Numbers;
#define MATH_OPS_NUMBERS MATH_OPS_REAL_NUMBERS ", " MATH_OPS_COMPLEXES

#define MATH_OPS_QUANTIZED "qint8, quint8, qint16, quint16, qint32"

// The types of a list, for TypeConstraint.
template <typename List>
struct TypesOf;
template <typename... Ts>
struct TypesOf<TypeList<Ts...>> {
  static constexpr std::initializer_list<opsrun::DataType> kAll = {opsrun::DataTypeToEnum<Ts>::value...};
};
typedef TypeList<opsrun::qint8, opsrun::quint8, opsrun::qint16, opsrun::quint16, opsrun::qint32> Quantized;

// A type with the same bytes and the same comparison: bools are 0 or 1, quantized numbers are integers.
constexpr opsrun::DataType ComparedAs(opsrun::DataType type) {
  switch (type) {
    case opsrun::DT_BOOL:
    case opsrun::DT_QUINT8:
      return opsrun::DT_UINT8;
    case opsrun::DT_QINT8:
      return opsrun::DT_INT8;
    case opsrun::DT_QINT16:
      return opsrun::DT_INT16;
    case opsrun::DT_QUINT16:
      return opsrun::DT_UINT16;
    case opsrun::DT_QINT32:
      return opsrun::DT_INT32;
    default:
      return type;
  }
}

// The type in which elements of T are computed: 16-bit floats are computed as float and rounded once.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;

template <typename T>
constexpr bool kIsComplex = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;

// A type in which sums, differences and products of T wrap; T itself unless it is a signed integer.
template <typename T, bool = std::is_integral_v<T>>
struct WrappingType {
  typedef T type;
};
template <typename T>
struct WrappingType<T, true> {
  typedef std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>> type;
};
template <typename T>
using Wrapping = typename WrappingType<T>::type;

// The type whose loop serves elements of T. Functions with kIgnoresSign give the same bits for signed and unsigned
// integers, so one loop serves both.
template <typename Function, typename = void>
constexpr bool kIgnoresSign = false;
template <typename Function>
constexpr bool kIgnoresSign<Function, std::void_t<decltype(Function::kIgnoresSign)>> = true;
template <typename T, bool>
struct LoopTypeOf {
  typedef T type;
};
template <typename T>
struct LoopTypeOf<T, true> {
  typedef std::make_unsigned_t<T> type;
};
template <typename Function, typename T>
using LoopType =
    typename LoopTypeOf<T, kIgnoresSign<Function> && std::is_integral_v<T> && !std::is_same_v<T, bool>>::type;

// The type that a loop over T writes: T, or the function's own result type if it declares a Result.
template <typename T, typename Result>
using Element = std::conditional_t<std::is_same_v<Result, Wide<T>>, T, Result>;

// Loops::template For<T>() for the T that `type` names. Requires: the list contains it.
template <typename Loops, typename... Ts>
auto LoopFor(opsrun::DataType type, TypeList<Ts...>) {
  decltype((Loops::template For<Ts>(), ...)) loop = nullptr;
  ((type == opsrun::DataTypeToEnum<Ts>::value ? void(loop = Loops::template For<Ts>()) : void()), ...);
  return loop;
}

}  // namespace math_ops

// Placed before loops: the output may share the memory of an input, but each element is read before it is written.
#ifdef __clang__
#define MATH_OPS_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define MATH_OPS_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace math_ops {

// Allocates the output of a kernel, in the memory of an input where possible.

// Makes output 0, in the memory of the first of the given inputs that has its shape and type and is no longer needed.
// Without one, allocates it.
inline opsrun::Status MakeOutput(opsrun::OpKernelContext* context, std::initializer_list<int> inputs,
                                 const opsrun::TensorShape& shape, opsrun::Tensor** output) {
  for (const int i : inputs) {
    const opsrun::Tensor& input = context->input(i);
    if (input.dtype() != context->expected_output_dtype(0) || input.shape() != shape) continue;
    if (context->forward_input_to_output_with_shape(i, 0, shape, output)) return opsrun::Status::OK();
  }
  return context->allocate_output(0, shape, output);
}

// A loop over elements, on the host's threads where that pays.

// Calls work(begin, end) on disjoint ranges that cover [0, n), on several threads if that pays. `picoseconds` is the
// approximate time per element. Ranges begin at multiples of 8,192.
template <typename Work>
void ForElements(opsrun::OpKernelContext* context, int64 n, int64 picoseconds, const Work& work) {
  constexpr int64 kBlock = 8192;
  if (n <= kBlock) return n > 0 ? work(int64{0}, n) : void();
  opsrun::Shard(context, (n - 1) / kBlock + 1, kBlock * picoseconds / 1000 + 1,
                [&](int64 begin, int64 end) { work(begin * kBlock, std::min(end * kBlock, n)); });
}

}  // namespace math_ops
