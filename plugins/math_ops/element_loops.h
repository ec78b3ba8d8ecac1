// plugins/math_ops/element_loops.h: loops that compute each element from one or two elements.
//
// A function of one number is a struct with `template <typename T> R operator()(T x) const`, where T is Wide of the
// element type. One of two numbers has `template <typename T> R operator()(T x, T y) const`; if it is not defined
// everywhere, it also has a kProblem, what is wrong where it is not, and `template <typename T> static bool Defined(T
// x, T y)`. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types.h"

namespace math_ops {

// out[i] = f(in[i]) for i in [0, n). `out` may be `in`.
typedef void (*UnaryLoop)(const void* in, void* out, int64 n);

template <typename Function>
struct UnaryLoops {
  template <typename T>
  static void Run(const void* in, void* out, int64 n) {
    typedef decltype(Function()(Wide<T>())) Result;
    const T* const from = static_cast<const T*>(in);
    auto* const to = static_cast<Element<T, Result>*>(out);
    MATH_OPS_INDEPENDENT
    for (int64 i = 0; i < n; ++i) {
      to[i] = static_cast<Element<T, Result>>(Function()(static_cast<Wide<T>>(from[i])));
    }
  }
  template <typename T>
  static UnaryLoop For() {
    return &Run<LoopType<Function, T>>;
  }
};

// Which of the two operands advances with the output.
enum class Walk { kBoth, kX, kY };

// out[i] = f(x[i], y[i]) for i in [0, n), where an operand that does not advance is a single element. `out` may be an
// operand that advances. Returns the index of the first element at which f is undefined, or n.
typedef int64 (*BinaryLoop)(Walk walk, const void* x, const void* y, void* out, int64 n);

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
    return static_cast<R>(Function()(static_cast<Wide<T>>(x), static_cast<Wide<T>>(y)));
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
    if (walk == Walk::kBoth) return Run<T>([x](int64 i) { return x[i]; }, [y](int64 i) { return y[i]; }, out, n);
    const T first_x = *x, first_y = *y;
    const auto only_x = [first_x](int64) { return first_x; };
    const auto only_y = [first_y](int64) { return first_y; };
    if (walk == Walk::kX) return Run<T>([x](int64 i) { return x[i]; }, only_y, out, n);
    return Run<T>(
        only_x, [y](int64 i) { return y[i]; }, out, n);
  }

  template <typename T>
  static BinaryLoop For() {
    return &RunOn<LoopType<Function, T>>;
  }
};

}  // namespace math_ops
