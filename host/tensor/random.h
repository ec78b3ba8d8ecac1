// host/tensor/random.h: random tensors that are the same on every machine, with every compiler, and in every version.
//
// The numbers are those of SplitMix64 (Steele, Lea and Flood 2014): number k, from 0, is Mix(seed + (k + 1) * gamma) in
// 64 bits. Conversions use no library functions except fma and sqrt, which IEEE 754 defines to the last bit.
// docs/graph_format.md promises this; random_test.cc checks it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/tensor/tensor.h"

namespace opsrun::host {

// Number k of the sequence for the seed.
uint64_t RandomBits(uint64_t seed, uint64_t k);

// From [0, 1): the upper 53 bits, divided by 2^53.
double UnitFromBits(uint64_t bits);

// Normal, mean 0 and standard deviation 1: the inverse of its distribution function (Wichura's AS 241) at the midpoint
// of the interval that the upper 52 bits select.
double NormalFromBits(uint64_t bits);

struct Distribution {
  enum class Kind { kUniform, kNormal, kInts };
  Kind kind = Kind::kUniform;
  double offset = 0;  // kUniform: fma(scale, unit, offset); kNormal: fma(scale, normal, offset)
  double scale = 1;
  uint64_t low = 0;    // kInts: from low to low + range, inclusive, modulo 2^64
  uint64_t range = 0;  // low + the upper 64 of the 128 bits of number * (range + 1)
};

// Element i, in row-major order, uses number i; a complex element uses numbers 2i and 2i + 1. Floats are computed in
// float64 and rounded to the data type. Requires: kInts for integers and bools, the others for floats and complex
// numbers.
void FillRandom(Tensor& tensor, uint64_t seed, const Distribution& distribution);

}  // namespace opsrun::host
