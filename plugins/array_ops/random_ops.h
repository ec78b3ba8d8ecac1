// plugins/array_ops/random_ops.h: random numbers that are the same on every machine and with any number of threads.
//
// Number k of a seed is a function of k and the seed alone: that of SplitMix64, as for random feeds
// (docs/graph_format.md). Floating-point operations are IEEE 754 basic operations; fma is written explicitly.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace array_ops {

inline uint64_t RandomBits(uint64_t seed, uint64_t k) {
  uint64_t z = seed + (k + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// The upper `digits` bits as a number in [0, 1). `digits` is the precision of the type, so the result is never rounded
// to 1.
inline double UniformFromBits(uint64_t bits, int digits) {
  const double scale = 1.0 / static_cast<double>(int64_t{1} << digits);  // a power of two, so products are exact
  return static_cast<double>(static_cast<int64_t>(bits >> (64 - digits))) * scale;
}

// out[i] = the inverse of the normal distribution at (the upper 52 bits of RandomBits(seed, first + i) + 1/2) / 2^52,
// for i in [0, n). Requires: n <= kMostNormals.
constexpr int kMostNormals = 256;
void NormalNumbers(uint64_t seed, uint64_t first, int n, double* out);

}  // namespace array_ops
