// host/tensor/float16.h: half and bfloat16 as bit patterns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace opsrun::host {

// IEEE 754 binary16 and the upper half of binary32. From double they are rounded once, to nearest, ties to even;
// overflow is infinity; NaN stays NaN, but loses what else its bits say.
uint16_t HalfFromDouble(double value);
float HalfToFloat(uint16_t bits);
uint16_t BFloat16FromDouble(double value);
float BFloat16ToFloat(uint16_t bits);

}  // namespace opsrun::host
