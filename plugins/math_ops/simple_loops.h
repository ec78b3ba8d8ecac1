// plugins/math_ops/simple_loops.h: loops that compute each element from one or two elements; and the simple functions
// and folds whose loops are compiled for several instruction sets.
//
// A function of one number is a struct with `template <typename T> R operator()(T x) const`, where T is Wide of the
// element type. One of two numbers has `template <typename T> R operator()(T x, T y) const`; if it is not defined
// everywhere, it also has a kProblem, what is wrong where it is not, and `template <typename T> static bool Defined(T
// x, T y)`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fold_loops.h"
#include "folds.h"
#include "isa_kernels.h"
#include "simple_functions.h"

namespace math_ops {

// out[i] = f(in[i]) for i in [0, n). `out` may be `in`.
typedef void (*UnaryLoop)(const void* in, void* out, int64 n);

// Which of the two operands advances with the output.
enum class Walk { kBoth, kX, kY };

// out[i] = f(x[i], y[i]) for i in [0, n), where an operand that does not advance is a single element. `out` may be an
// operand that advances. Returns the index of the first element at which f is undefined, or n.
typedef int64 (*BinaryLoop)(Walk walk, const void* x, const void* y, void* out, int64 n);

// 16-bit floats are converted in blocks for the loop of float, because loops that convert take long to compile.
template <typename T>
constexpr bool kIsConverted = !std::is_same_v<T, Wide<T>>;
constexpr int64 kConverted = 1024;

template <typename From, typename To>
__attribute__((noinline)) void Convert(const From* from, To* to, int64 n) {
  MATH_OPS_INDEPENDENT
  for (int64 i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
}

// Calls write(results) for the place of results in `out`, an array of T or of the result type R, from `begin` on.
template <typename T, typename R, typename Write>
void WriteConverted(void* out, int64 begin, int64 n, float* results, const Write& write) {
  if constexpr (std::is_same_v<T, R>) {
    write(results);
    Convert(results, static_cast<T*>(out) + begin, n);
  } else {
    write(static_cast<R*>(out) + begin);
  }
}

template <typename T, typename R, typename Loop>
void RunConverted(const Loop& loop, const void* in, void* out, int64 n) {
  float block[kConverted];
  for (int64 begin = 0, size = 0; begin < n; begin += size) {
    size = std::min(kConverted, n - begin);
    Convert(static_cast<const T*>(in) + begin, block, size);
    WriteConverted<T, R>(out, begin, size, block, [&](auto* results) { loop(block, results, size); });
  }
}

template <typename T, typename R>
int64 RunConverted(BinaryLoop loop, Walk walk, const void* xs, const void* ys, void* out, int64 n) {
  float x[kConverted], y[kConverted];
  for (int64 begin = 0, size = 0; begin < n; begin += size) {
    size = std::min(kConverted, n - begin);
    if (walk != Walk::kY || begin == 0) Convert(static_cast<const T*>(xs) + begin, x, walk == Walk::kY ? 1 : size);
    if (walk != Walk::kX || begin == 0) Convert(static_cast<const T*>(ys) + begin, y, walk == Walk::kX ? 1 : size);
    WriteConverted<T, R>(out, begin, size, walk == Walk::kY ? y : x,
                         [&](auto* results) { loop(walk, x, y, results, size); });
  }
  return n;
}

template <typename Function>
struct UnaryLoops {
  template <typename T>
  static void Run(const void* in, void* out, int64 n) {
    typedef Element<T, decltype(Function()(Wide<T>()))> R;
    MATH_OPS_INDEPENDENT
    for (int64 i = 0; i < n; ++i) static_cast<R*>(out)[i] = static_cast<R>(Function()(static_cast<const T*>(in)[i]));
  }
  template <typename T>
  static void Convert(const void* in, void* out, int64 n) {
    RunConverted<T, Element<T, decltype(Function()(0.f))>>(UnaryLoop(&Run<float>), in, out, n);
  }
  template <typename T>
  static UnaryLoop For() {
    if constexpr (kIsConverted<T>)
      return &Convert<T>;
    else
      return &Run<LoopType<Function, T>>;
  }
};

template <typename Function, typename = void>
struct ProblemOf {
  static constexpr const char* kText = nullptr;
};
template <typename Function>
struct ProblemOf<Function, std::void_t<decltype(Function::kProblem)>> {
  static constexpr const char* kText = Function::kProblem;
};

template <typename Function>
struct BinaryLoops {
  template <typename T, typename R>
  static R Apply(T x, T y) {
    return static_cast<R>(Function()(x, y));
  }

  // x and y: functions of an index.
  template <typename T, typename R, typename X, typename Y>
  static int64 Run(const X& x, const Y& y, R* out, int64 n) {
    if constexpr (ProblemOf<Function>::kText != nullptr && std::is_integral_v<T>) {
      for (int64 i = 0; i < n; ++i) {
        if (!Function::Defined(x(i), y(i))) return i;
        out[i] = Apply<T, R>(x(i), y(i));
      }
    } else {
      MATH_OPS_INDEPENDENT
      for (int64 i = 0; i < n; ++i) out[i] = Apply<T, R>(x(i), y(i));
    }
    return n;
  }

  template <typename T>
  static int64 RunOn(Walk walk, const void* xs, const void* ys, void* outs, int64 n) {
    typedef Element<T, decltype(Function()(Wide<T>(), Wide<T>()))> R;
    const T* const x = static_cast<const T*>(xs);
    const T* const y = static_cast<const T*>(ys);
    R* const out = static_cast<R*>(outs);
    if constexpr (sizeof(R) < sizeof(T)) {
      // Reading takes most of the time, more of it where a vector lies in two cache lines: NumPy's arrays begin at 16.
      constexpr int64 kLine = 64, kWorthIt = 4096;
      const int64 lead =
          n < kWorthIt ? 0 : -reinterpret_cast<uintptr_t>(walk == Walk::kY ? ys : xs) % kLine / sizeof(T);
      if (lead > 0) {
        const int64 done = RunOn<T>(walk, xs, ys, outs, lead);
        if (done < lead) return done;
        return lead +
               RunOn<T>(walk, walk == Walk::kY ? x : x + lead, walk == Walk::kX ? y : y + lead, out + lead, n - lead);
      }
    }
    if (walk == Walk::kBoth) return Run<T>([x](int64 i) { return x[i]; }, [y](int64 i) { return y[i]; }, out, n);
    const T first_x = *x, first_y = *y;
    const auto only_x = [first_x](int64) { return first_x; };
    const auto only_y = [first_y](int64) { return first_y; };
    if (walk == Walk::kX) return Run<T>([x](int64 i) { return x[i]; }, only_y, out, n);
    return Run<T>(
        only_x, [y](int64 i) { return y[i]; }, out, n);
  }

  template <typename T>
  static int64 ConvertBoth(Walk walk, const void* xs, const void* ys, void* outs, int64 n) {
    return RunConverted<T, Element<T, decltype(Function()(0.f, 0.f))>>(&RunOn<float>, walk, xs, ys, outs, n);
  }

  template <typename T>
  static BinaryLoop For() {
    if constexpr (kIsConverted<T>)
      return &ConvertBoth<T>;
    else
      return &RunOn<LoopType<Function, T>>;
  }
};

// Simple functions and folds whose loops are compiled for several instruction sets.
//
// To compile another one, add it to a list; the kernels search the lists. Each entry costs compile time in every set,
// so the lists contain only what newer instructions speed up, also where tensors are in the first level of the cache,
// for the types that matter.

// A function or a fold, and the types of elements for which the sets have its loops.
template <typename F, typename ElementTypes>
struct On {};

typedef TypeList<float, double> SetFloats;
typedef TypeList<float, double, int32_t, int64_t> SetNumbers;
typedef Join<SetNumbers, TypeList<uint8_t>> SetNumbersAndBytes;

typedef TypeList<On<Neg, SetFloats>, On<Abs, SetFloats>, On<Square, SetFloats>, On<Reciprocal, SetFloats>,
                 On<Relu, SetFloats>, On<Floor, SetFloats>, On<Ceil, SetFloats>, On<Round, SetFloats>,
                 On<IsNan, SetFloats>, On<IsInf, SetFloats>, On<IsFinite, SetFloats>, On<ComplexAbs, Complexes>>
    UnaryInSets;
typedef TypeList<On<Add, SetFloats>, On<Sub, SetFloats>, On<SquaredDifference, SetFloats>, On<ReluGrad, SetFloats>,
                 On<Mul, SetNumbers>, On<Div, SetFloats>, On<Less, SetNumbers>, On<LessEqual, SetNumbers>,
                 On<Greater, SetNumbers>, On<GreaterEqual, SetNumbers>, On<Equal, SetNumbers>, On<NotEqual, SetNumbers>,
                 On<Larger, TypeList<float, double, int64_t>>, On<Smaller, TypeList<float, double, int64_t>>>
    BinaryInSets;
typedef TypeList<On<SumFold, SetNumbersAndBytes>, On<MaxFold, SetNumbersAndBytes>, On<MinFold, SetNumbersAndBytes>,
                 On<ProdFold, TypeList<int32_t, uint8_t>>, On<AllFold, TypeList<uint8_t>>,
                 On<AnyFold, TypeList<uint8_t>>>
    FoldsInSets;

// Each returns the loops of entry i of its list for that type; NULL if the list does not have the type.
struct SimpleLoops {
  UnaryLoop (*unary)(int i, DataType type);
  BinaryLoop (*binary)(int i, DataType type);
  const FoldLoops* (*fold)(int i, DataType type);
};

template <template <typename> class Loops>
struct ListOf;
template <>
struct ListOf<UnaryLoops> {
  typedef UnaryInSets List;
  static constexpr auto kFind = &SimpleLoops::unary;
};
template <>
struct ListOf<BinaryLoops> {
  typedef BinaryInSets List;
  static constexpr auto kFind = &SimpleLoops::binary;
};
template <>
struct ListOf<FoldLoopsFor> {
  typedef FoldsInSets List;
  static constexpr auto kFind = &SimpleLoops::fold;
};

// The index of F in the list, or -1.
template <typename F, typename... Fs, typename... ElementTypes>
constexpr int IndexIn(TypeList<On<Fs, ElementTypes>...>) {
  int index = 0;
  bool found = false;
  ((found = found || std::is_same_v<F, Fs>, index += found ? 0 : 1), ...);
  return found ? index : -1;
}

// The loops of F for that type, from a set if it has them. Requires: `types` contains the type.
template <template <typename> class Loops, typename F, typename Types>
auto FastestLoop(DataType type, Types types) {
  constexpr int kIndex = IndexIn<F>(typename ListOf<Loops>::List());
  if constexpr (kIndex >= 0) {
    const auto find = ListOf<Loops>::kFind;
    const auto loop = BestKernels() == nullptr ? nullptr : (BestKernels()->simple->*find)(kIndex, type);
    if (loop != nullptr) return loop;
  }
  return LoopFor<Loops<F>>(type, types);
}

}  // namespace math_ops
