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

using namespace opsrun;
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
typedef Join<Floats, Complexes> FloatsAndComplexes;
#define MATH_OPS_FLOATS_AND_COMPLEXES MATH_OPS_FLOATS ", " MATH_OPS_COMPLEXES
typedef TypeList<int8_t, int16_t, int32_t, int64_t> SignedInts;
#define MATH_OPS_SIGNED_INTS "int8, int16, int32, int64"
typedef Join<Floats, SignedInts> SignedRealNumbers;
#define MATH_OPS_SIGNED_REAL_NUMBERS MATH_OPS_FLOATS ", " MATH_OPS_SIGNED_INTS
typedef Join<SignedRealNumbers, Complexes> SignedNumbers;
#define MATH_OPS_SIGNED_NUMBERS MATH_OPS_SIGNED_REAL_NUMBERS ", " MATH_OPS_COMPLEXES
typedef TypeList<uint8_t, uint16_t, uint32_t, uint64_t> UnsignedInts;
#define MATH_OPS_UNSIGNED_INTS "uint8, uint16, uint32, uint64"
typedef Join<SignedRealNumbers, UnsignedInts> RealNumbers;
#define MATH_OPS_REAL_NUMBERS MATH_OPS_SIGNED_REAL_NUMBERS ", " MATH_OPS_UNSIGNED_INTS
typedef Join<SignedInts, UnsignedInts> Integers;
typedef Join<RealNumbers, Complexes> Numbers;
#define MATH_OPS_NUMBERS MATH_OPS_REAL_NUMBERS ", " MATH_OPS_COMPLEXES
typedef TypeList<qint8, quint8, qint16, quint16, qint32> Quantized;
#define MATH_OPS_QUANTIZED "qint8, quint8, qint16, quint16, qint32"

// The types of a list, for TypeConstraint.
template <typename List>
struct TypesOf;
template <typename... Ts>
struct TypesOf<TypeList<Ts...>> {
  static constexpr std::initializer_list<DataType> kAll = {DataTypeToEnum<Ts>::value...};
};

// A type with the same bytes and the same comparison: bools are 0 or 1, quantized numbers are integers.
constexpr DataType ComparedAs(DataType type) {
  switch (type) {
    case DT_BOOL:
    case DT_QUINT8:
      return DT_UINT8;
    case DT_QINT8:
      return DT_INT8;
    case DT_QINT16:
      return DT_INT16;
    case DT_QUINT16:
      return DT_UINT16;
    case DT_QINT32:
      return DT_INT32;
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
template <typename T>
using Wrapping = typename std::conditional_t<
    !std::is_integral_v<T>, std::common_type<T>,
    std::conditional_t<(sizeof(T) < sizeof(unsigned)), std::common_type<unsigned>, std::make_unsigned<T>>>::type;

// Functions with kIgnoresSign give the same bits for signed and unsigned integers, so one loop serves both: the loop of
// LoopType<Function, T> serves elements of T. Loops of one function ignore the sign if the function does.
template <typename Function, typename = void>
constexpr bool kIgnoresSign = false;
template <typename Function>
constexpr bool kIgnoresSign<Function, std::void_t<decltype(Function::kIgnoresSign)>> = true;
template <template <typename> class Loops, typename Function>
constexpr bool kIgnoresSign<Loops<Function>, void> = kIgnoresSign<Function>;
template <typename Function, typename T>
using LoopType =
    typename std::conditional_t<kIgnoresSign<Function> && std::is_integral_v<T> && !std::is_same_v<T, bool>,
                                std::make_unsigned<T>, std::common_type<T>>::type;

// The type that a loop over T writes: T, or the function's own result type if it declares a Result.
template <typename T, typename Result>
using Element = std::conditional_t<std::is_same_v<Result, Wide<T>>, T, Result>;

// What Loops have for T: Loops::For<T>() if there is one, otherwise the function Loops::Run<T>.
template <typename Loops, typename T, typename = void>
struct LoopOf {
  static auto Get() { return &Loops::template Run<LoopType<Loops, T>>; }
};
template <typename Loops, typename T>
struct LoopOf<Loops, T, std::void_t<decltype(Loops::template For<T>())>> {
  static auto Get() { return Loops::template For<T>(); }
};

// What Loops have for the T that `type` names. Requires: the list contains it.
template <typename Loops, typename... Ts>
auto LoopFor(DataType type, TypeList<Ts...>) {
  decltype((LoopOf<Loops, Ts>::Get(), ...)) loop = nullptr;
  ((type == DataTypeToEnum<Ts>::value ? void(loop = LoopOf<Loops, Ts>::Get()) : void()), ...);
  return loop;
}

// Placed before loops: the output may share the memory of an input, but each element is read before it is written.
#ifdef __clang__
#define MATH_OPS_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define MATH_OPS_INDEPENDENT _Pragma("GCC ivdep")
#endif

// Calls fn(at), where at(i) is element i of an operand; if the operand does not walk, its only element.
template <typename T, typename Fn>
auto WithOperand(bool walks, const T* operand, const Fn& fn) {
  if (walks) return fn([operand](int64 i) { return operand[i]; });
  return fn([value = *operand](int64) { return value; });
}

// Makes output 0, in the memory of the first of the given inputs that has its shape and type and is no longer needed.
// Without one, allocates it.
inline Status MakeOutput(OpKernelContext* context, std::initializer_list<int> inputs, const TensorShape& shape,
                         Tensor** output) {
  for (const int i : inputs) {
    const Tensor& input = context->input(i);
    if (input.dtype() != context->expected_output_dtype(0) || input.shape() != shape) continue;
    if (context->forward_input_to_output_with_shape(i, 0, shape, output)) return Status::OK();
  }
  return context->allocate_output(0, shape, output);
}

// Calls work(begin, end) on disjoint ranges that cover [0, n), on several threads if that pays. `picoseconds` is the
// approximate time per element. Ranges begin at multiples of 8,192.
template <typename Work>
void ForElements(OpKernelContext* context, int64 n, int64 picoseconds, const Work& work) {
  constexpr int64 kBlock = 8192;
  if (n <= kBlock) return n > 0 ? work(int64{0}, n) : void();
  Shard(context, (n - 1) / kBlock + 1, kBlock * picoseconds / 1000 + 1,
        [&](int64 begin, int64 end) { work(begin * kBlock, std::min(end * kBlock, n)); });
}

}  // namespace math_ops
