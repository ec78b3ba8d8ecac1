// host/tensor/float16.h: half and bfloat16 as bit patterns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace opsrun::host {

// IEEE 754 binary16 and the upper half of binary32. Conversion from double rounds once, to nearest, ties to even;
// overflow becomes infinity; NaN stays NaN but loses its payload.
uint16_t HalfFromDouble(double value);
float HalfToFloat(uint16_t bits);
uint16_t BFloat16FromDouble(double value);
float BFloat16ToFloat(uint16_t bits);

// Elements of tensors.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(double value) : bits(HalfFromDouble(value)) {}
  operator double() const { return HalfToFloat(bits); }
};
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(double value) : bits(BFloat16FromDouble(value)) {}
  operator double() const { return BFloat16ToFloat(bits); }
};

}  // namespace opsrun::host
