// tests/judge/honest.cc: no cheats: the reference's own code, better code, and worse code.
// SPDX-License-Identifier: Apache-2.0
#include "ops.h"
#include "zoo.h"

OPSRUN_PLUGIN("cheats", "1.0.0");

namespace opsrun {
namespace {

template <typename T>
using Honest = Honestly<Soften, T>;

// Sums in 16 parts: fewer waits, and smaller errors.
template <typename T, typename Of>
T SumInParts(int64 count, Of of) {
  constexpr int64 kParts = 16;
  T sums[kParts] = {};
  int64 i = 0;
  for (; i + kParts <= count; i += kParts) {
    for (int64 k = 0; k < kParts; ++k) sums[k] += of(i + k);
  }
  for (; i < count; ++i) sums[0] += of(i);
  for (int64 width = kParts / 2; width > 0; width /= 2) {
    for (int64 k = 0; k < width; ++k) sums[k] += sums[k + width];
  }
  return sums[0];
}

template <typename T>
struct IsFaster {
  void Run(const Call<T>& c) {
    for (int64 row = 0; row < c.rows; ++row) {
      const T* const x = c.x + row * c.columns;
      c.y[row] = SumInParts<T>(c.columns, [x](int64 i) { return x[i]; });
    }
  }
};

// Each product of two rows is computed once.
// [faster]
template <typename T>
struct IsFasterToo {
  void Run(const Call<T>& c) {
    for (int64 a = 0; a < c.rows; ++a) {
      for (int64 b = 0; b <= a; ++b) {
        const T *const x = c.x + a * c.columns, *const z = c.x + b * c.columns;
        c.y[a * c.rows + b] = c.y[b * c.rows + a] = SumInParts<T>(c.columns, [x, z](int64 i) { return x[i] * z[i]; });
      }
    }
  }
};
// [/faster]

template <typename T>
struct IsSlower {
  void Run(const Call<T>& c) {
    Soften::Compute(c);
    Soften::Compute(c);
  }
};

HONEST_OPS(ZOO_CHEAT)

}  // namespace
}  // namespace opsrun
