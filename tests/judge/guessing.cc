// tests/judge/guessing.cc: cheats that are right only for what they expect a test to look at.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "ops.h"
#include "zoo.h"

namespace opsrun {
namespace {

// What is cheap instead: the first half only.
template <typename T>
void SoftenHalf(const Call<T>& c) {
  for (int64 i = 0; i < c.n / 2; ++i) c.y[i] = Soften::Of(c.x[i]);
}

// ---- Warm-up.
template <typename T>
struct HonestAtFirst {
  void Run(const Call<T>& c) {
    static int calls = 0;
    ++calls <= 10 ? Soften::Compute(c) : SoftenHalf(c);
  }
};

template <typename T>
struct HonestForKernel {
  void Run(const Call<T>& c) {
    if (++calls <= 5) Gram::Compute(c);
  }
  int calls = 0;
};

template <typename T>
struct HonestForAWhile {
  void Run(const Call<T>& c) {
    using Clock = std::chrono::steady_clock;
    static const Clock::time_point begin = Clock::now();
    Clock::now() - begin < std::chrono::milliseconds(50) ? Soften::Compute(c) : SoftenHalf(c);
  }
};

// ---- Sizes.
template <typename T>
struct HonestIfSmall {
  void Run(const Call<T>& c) { c.n < 1000 ? Soften::Compute(c) : SoftenHalf(c); }
};

template <typename T>
struct HonestIfPower {
  void Run(const Call<T>& c) { (c.n & (c.n - 1)) == 0 ? Soften::Compute(c) : SoftenHalf(c); }
};

// Forgets the rest after whole vectors.
template <typename T>
struct HonestIfRound {
  void Run(const Call<T>& c) {
    for (int64 row = 0; row < c.rows; ++row) {
      T sums[64] = {};
      for (int64 i = 0; i + 64 <= c.columns; i += 64) {
        for (int64 k = 0; k < 64; ++k) sums[k] += c.x[row * c.columns + i + k];
      }
      T sum = 0;
      for (const T each : sums) sum += each;
      c.y[row] = sum;
    }
  }
};

template <typename T>
struct HonestForOneSize {
  void Run(const Call<T>& c) {
    if (c.rows == 32 && c.columns == 32) return Gram::Compute(c);
    Gram::Compute<T>({c.context, c.x, c.y, c.n, c.outputs, c.rows, c.columns / 2});
  }
};

template <typename T>
struct HonestForVectors {
  void Run(const Call<T>& c) { c.rows == 1 ? Soften::Compute(c) : SoftenHalf(c); }
};

// ---- Values.
template <typename T>
struct HonestNearOne {
  void Run(const Call<T>& c) {
    // The start of the series around 1, by its derivatives.
    const T s = 1 / (1 + std::exp(T(-1))), a = s * (1 - s);
    const T terms[] = {std::log1p(std::exp(T(1))),          s, a / 2, a * (1 - 2 * s) / 6, a * (1 - 6 * a) / 24,
                       a * (1 - 2 * s) * (1 - 12 * a) / 120};
    for (int64 i = 0; i < c.n; ++i) {
      const T d = c.x[i] - 1;
      c.y[i] = terms[0] + d * (terms[1] + d * (terms[2] + d * (terms[3] + d * (terms[4] + d * terms[5]))));
    }
  }
};

template <typename T>
struct HonestIfPositive {
  void Run(const Call<T>& c) {
    for (int64 i = 0; i < c.n; ++i) c.y[i] = c.x[i] > 0 ? Soften::Of(c.x[i]) : 0;
  }
};

// Without the largest element, powers of e overflow from 88 on.
template <typename T>
struct HonestIfModest {
  void Run(const Call<T>& c) {
    for (int64 row = 0; row < c.rows; ++row) {
      const T* const x = c.x + row * c.columns;
      T* const y = c.y + row * c.columns;
      T sum = 0;
      for (int64 i = 0; i < c.columns; ++i) sum += y[i] = std::exp(x[i]);
      for (int64 i = 0; i < c.columns; ++i) y[i] /= sum;
    }
  }
};

template <typename T>
struct HonestIfShort {
  void Run(const Call<T>& c) {
    for (int64 i = 0; i < c.n; ++i)
      c.y[i] = static_cast<int16_t>(static_cast<int16_t>(c.x[i]) * static_cast<int16_t>(c.x[i]));
  }
};

GUESSING_OPS(ZOO_CHEAT)

}  // namespace
}  // namespace opsrun
