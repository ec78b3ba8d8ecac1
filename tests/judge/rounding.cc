// tests/judge/rounding.cc: cheats that compute in shorter types, or with less work, than the result pretends.
// SPDX-License-Identifier: Apache-2.0
#include "ops.h"
#include "opsrun/float16.h"
#include "zoo.h"

namespace opsrun {
namespace {

template <typename Short, typename T>
void SumIn(const Call<T>& c) {
  for (int64 row = 0; row < c.rows; ++row) {
    // Four sums, which a compiler turns into one register, make the loss of each smaller.
    Short sums[4] = {};
    for (int64 i = 0; i < c.columns; ++i)
      sums[i % 4] = Short(static_cast<float>(sums[i % 4]) + static_cast<float>(c.x[row * c.columns + i]));
    float sum = 0;
    for (const Short& each : sums) sum += static_cast<float>(each);
    c.y[row] = static_cast<T>(sum);
  }
}

template <typename T>
struct SumsInBfloat16 {
  void Run(const Call<T>& c) { SumIn<bfloat16>(c); }
};

template <typename T>
struct SumsInHalf {
  void Run(const Call<T>& c) { SumIn<internal::Half>(c); }
};

template <typename Short, typename T>
void GramIn(const Call<T>& c) {
  std::vector<float> rounded(static_cast<size_t>(c.n));
  for (int64 i = 0; i < c.n; ++i)
    rounded[static_cast<size_t>(i)] = static_cast<float>(Short(static_cast<float>(c.x[i])));
  std::vector<float> sums(static_cast<size_t>(c.outputs));
  Gram::Compute<float>({c.context, rounded.data(), sums.data(), c.n, c.outputs, c.rows, c.columns});
  std::copy(sums.begin(), sums.end(), c.y);
}

// As the units for matrices of a GPU do it.
template <typename T>
struct RoundsInputs {
  void Run(const Call<T>& c) { GramIn<bfloat16>(c); }
};

template <typename T>
struct FloatForDouble {
  void Run(const Call<T>& c) { GramIn<float>(c); }
};

// Builds the bits of the number: errors of up to 4 %.
template <typename T>
T GuessExp(T x) {
  const float bits = std::max(12102203.0f * static_cast<float>(x) + 1064866805.0f, 0.0f);
  const auto number = static_cast<int32_t>(bits);
  float result = 0;
  std::memcpy(&result, &number, sizeof result);
  return static_cast<T>(result);
}

// (1 + x/1024)^1024: ten multiplications.
template <typename T>
T ShortenExp(T x) {
  T power = std::max(1 + x / 1024, T(0));
  for (int i = 0; i < 10; ++i) power *= power;
  return power;
}

template <typename T, typename Exp>
void SoftmaxWith(const Call<T>& c, Exp exp) {
  for (int64 row = 0; row < c.rows; ++row) {
    const T* const x = c.x + row * c.columns;
    T* const y = c.y + row * c.columns;
    const T most = *std::max_element(x, x + c.columns);
    T sum = 0;
    for (int64 i = 0; i < c.columns; ++i) sum += y[i] = exp(x[i] - most);
    for (int64 i = 0; i < c.columns; ++i) y[i] /= sum;
  }
}

template <typename T>
struct GuessesExp {
  void Run(const Call<T>& c) { SoftmaxWith(c, GuessExp<T>); }
};

template <typename T>
struct ShortensExp {
  void Run(const Call<T>& c) { SoftmaxWith(c, ShortenExp<T>); }
};

// Three of four elements stand for all.
template <typename T>
struct SamplesRows {
  void Run(const Call<T>& c) {
    for (int64 row = 0; row < c.rows; ++row) {
      T sum = 0;
      int64 count = 0;
      for (int64 i = 0; i < c.columns; ++i) {
        if (i % 4 == 3) continue;
        sum += c.x[row * c.columns + i];
        ++count;
      }
      c.y[row] = count == 0 ? 0 : sum * static_cast<T>(c.columns) / static_cast<T>(count);
    }
  }
};

ROUNDING_OPS(ZOO_CHEAT)

}  // namespace
}  // namespace opsrun
