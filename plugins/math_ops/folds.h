// plugins/math_ops/folds.h: folds of reductions (see fold_loops.h): sums, means, sums of squares, logical and, logical
// or, extremes; and the kernel that searches extremes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

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

// Divides complex numbers by a real number.
template <typename A>
constexpr A MeanOf(A sum, int64 count) {
  if constexpr (kIsComplex<A>) {
    return sum / static_cast<typename A::value_type>(count);
  } else {
    return sum / static_cast<A>(count);
  }
}

// The mean fits the type, but the sum may not; 128 bits always hold it.
__extension__ typedef __int128 int128;
struct MeanFold : FunctionFold<Add, 0> {
  template <typename T>
  using Like = std::conditional_t<std::is_integral_v<T>, MeanFold, SumFold>;
  template <typename T>
  using Acc = std::conditional_t<!std::is_integral_v<T>, Wide<T>, std::conditional_t<sizeof(T) == 8, int128, int64_t>>;
  template <typename T>
  static constexpr Acc<T> Start() {
    return Acc<T>(0);
  }
  template <typename T>
  static constexpr T Finish(Acc<T> acc, int64 count) {
    return static_cast<T>(MeanOf(acc, count));
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

// The largest or smallest of some numbers; NaN if one of them is NaN.

struct Larger {
  template <typename T>
  constexpr T operator()(T x, T y) const {
    const T larger = x > y ? x : y;  // y if one of them is NaN
    return x != x ? x : larger;
  }
};

struct Smaller {
  template <typename T>
  constexpr T operator()(T x, T y) const {
    const T smaller = x < y ? x : y;
    return x != x ? x : smaller;
  }
};

template <typename T, bool kLargest>
constexpr T Limit() {
  typedef std::numeric_limits<T> Limits;
  if constexpr (Limits::has_infinity) return kLargest ? Limits::infinity() : -Limits::infinity();
  return kLargest ? Limits::max() : Limits::lowest();
}

// As folds (see fold_loops.h).
template <typename Function, bool kStartsLargest>
struct ExtremeFold : FunctionFold<Function, 0> {
  template <typename T>
  static constexpr Wide<T> Start() {
    return Limit<Wide<T>, kStartsLargest>();
  }
  // NaN is better than any number, and the first NaN is the best.
  template <typename A>
  static constexpr bool IsBetter(A x, A before) {
    return (kStartsLargest ? x < before : x > before) || (x != x && before == before);
  }
  // y where y is better, and x where one of them is NaN.
  template <typename V>
  static V Better(V x, V y) {
    return kStartsLargest ? (y < x ? y : x) : (y > x ? y : x);
  }
#ifndef __CUDACC__
  // With explicit vectors: the compiler does not vectorize the choice with NaN.
  template <typename T>
  static T FloatBlock(const T* in, int64 n) {
#ifdef __AVX2__
    constexpr int kBytes = 32;
#else
    constexpr int kBytes = 16;
#endif
    typedef T V __attribute__((vector_size(kBytes)));
    constexpr int64 kLanes = kBytes / sizeof(T), kVectors = 4, kStep = kVectors * kLanes;
    V best[kVectors], x = {};
    auto nan = x != x;
    for (V& v : best) v = Start<T>() + V{};
    int64 i = 0;
    for (; i + kStep <= n; i += kStep) {
      for (int64 k = 0; k < kVectors; ++k) {
        __builtin_memcpy(&x, in + i + k * kLanes, sizeof(x));
        best[k] = Better(best[k], x);
        nan |= x != x;
      }
    }
    for (int64 half = kVectors / 2; half > 0; half /= 2) {
      for (int64 k = 0; k < half; ++k) best[k] = Better(best[k], best[k + half]);
    }
    T result = Start<T>();
    for (int64 k = 0; k < kLanes; ++k) result = Function()(result, best[0][k]);
    for (int64 k = 0; k < kLanes; ++k) result = nan[k] != 0 ? std::numeric_limits<T>::quiet_NaN() : result;
    for (; i < n; ++i) result = Function()(result, in[i]);
    return result;
  }
#endif
};

typedef ExtremeFold<Larger, false> MaxFold;
typedef ExtremeFold<Smaller, true> MinFold;

// Shared by ArgMax and ArgMin on all devices.

// A kernel with the inputs `input` and `dimension`; `dimension` is in host memory.
class ArgKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override;

 protected:
  // Writes the indices of the best elements along the axis. Requires: the output has elements, the axis is not empty,
  // and the output type can hold its indices.
  virtual Status Search(OpKernelContext* context, const Tensor& input, int axis, Tensor* output) const = 0;

 private:
  Status CheckSize(int64 size) const;
};

}  // namespace math_ops
