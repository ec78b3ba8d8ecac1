// plugins/math_ops/folds.h: folds of reductions (see fold_loops.h): sums, means, sums of squares, logical and, logical
// or.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "arithmetic.h"

namespace math_ops {

// Function()(.., Function()(Function()(kStart, x0), x1) ..), computed in Wide<T>.
template <typename Function, int kStart>
struct FunctionFold {
  template <typename T>
  using Acc = Wide<T>;
  template <typename T>
  static constexpr Acc<T> Start() {
    return Acc<T>(kStart);
  }
  template <typename A>
  static constexpr A Combine(A a, A b) {
    return Function()(a, b);
  }
  template <typename T>
  static constexpr T Finish(Acc<T> acc, int64) {
    return static_cast<T>(acc);
  }
};
struct SumFold : FunctionFold<Add, 0> {
  static constexpr bool kIgnoresSign = true;
};
struct ProdFold : FunctionFold<Mul, 1> {
  static constexpr bool kIgnoresSign = true;
};

// The mean fits the type, but the sum may not; 128 bits always hold it.
__extension__ typedef __int128 int128;
struct MeanFold : FunctionFold<Add, 0> {
  template <typename T>
  using Like = std::conditional_t<std::is_integral_v<T>, MeanFold, SumFold>;
  template <typename T>
  using Acc = std::conditional_t<!std::is_integral_v<T>, Wide<T>, std::conditional_t<sizeof(T) == 8, int128, int64_t>>;
  template <typename T>
  static Acc<T> Start() {
    return Acc<T>(0);
  }
  template <typename T>
  static T Finish(Acc<T> acc, int64 count) {
    if constexpr (kIsComplex<T>) return acc / static_cast<typename T::value_type>(count);
    return static_cast<T>(acc / static_cast<Acc<T>>(count));
  }
};

// Sums of squares.
//
// The square of a number may overflow or underflow although the root of the sum does not, so squares of smaller floats
// are added as double. Sums of integers wrap, in a type that holds every sum whose root fits the integers.

__extension__ typedef unsigned __int128 uint128;

// The largest integer whose square is at most x.
constexpr uint64_t RootOf(uint128 x) {
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 63; bit > 0; bit >>= 1) {
    if (static_cast<uint128>(root | bit) * (root | bit) <= x) root |= bit;
  }
  return root;
}

struct SquaresFold {
  template <typename T>
  using Like = SquaresFold;
  template <typename T>
  using Acc = std::conditional_t<!std::is_integral_v<T>, double, std::conditional_t<sizeof(T) == 8, uint128, uint64_t>>;
  template <typename T>
  static constexpr Acc<T> Start() {
    return Acc<T>(0);
  }
  template <typename T>
  static constexpr Acc<T> OfElement(Wide<T> x) {
    if constexpr (kIsComplex<T>) {
      const double re = x.real(), im = x.imag();
      return re * re + im * im;
    } else {
      return static_cast<Acc<T>>(x) * static_cast<Acc<T>>(x);
    }
  }
  template <typename A>
  static constexpr A Combine(A a, A b) {
    return a + b;
  }
};

// The square root of the sum; truncated for integers.
struct NormFold : SquaresFold {
  template <typename T>
  static constexpr T Finish(Acc<T> acc, int64) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(RootOf(acc));
    } else if constexpr (kIsComplex<T>) {
      return T(static_cast<typename T::value_type>(std::sqrt(acc)));
    } else {
      return static_cast<T>(std::sqrt(acc));
    }
  }
};

struct HalfSquaresFold : SquaresFold {
  template <typename T>
  static constexpr T Finish(Acc<T> acc, int64) {
    return static_cast<T>(acc / 2);
  }
};

// Whether all bools, which are bytes of 0 or 1, are true, or any.
struct AllFold {
  static constexpr uint8_t kDecided = 0;
  template <typename T>
  using Acc = uint8_t;
  template <typename T>
  static constexpr uint8_t Start() {
    return 1;
  }
  static constexpr uint8_t Combine(uint8_t a, uint8_t b) { return a & b; }
  template <typename T>
  static constexpr T Finish(uint8_t acc, int64) {
    return acc;
  }
};

struct AnyFold : AllFold {
  static constexpr uint8_t kDecided = 1;
  template <typename T>
  static constexpr uint8_t Start() {
    return 0;
  }
  static constexpr uint8_t Combine(uint8_t a, uint8_t b) { return a | b; }
};

}  // namespace math_ops
