// plugins/array_ops/number_bits.h: numbers as bits, for ops that only compare elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "opsrun/types.h"

namespace array_ops {

// The bits of a float's sign and of its infinity. For integers, bools and complex numbers, `infinity` is not used.
struct NumberBits {
  uint64_t sign = 0;
  uint64_t infinity = ~uint64_t{0};

  // Both zeros are one number.
  uint64_t Key(uint64_t bits) const { return (bits & ~sign) == 0 ? 0 : bits; }
  bool IsZero(uint64_t bits) const { return (bits & ~sign) == 0; }
  bool IsNan(uint64_t bits) const { return (bits & ~sign) > infinity; }
};

// Requires: the type is a number or bool, but not an 8-bit float.
inline NumberBits BitsOf(opsrun::DataType type) {
  switch (type) {
    case opsrun::DT_HALF:
      return {0x8000, 0x7C00};
    case opsrun::DT_BFLOAT16:
      return {0x8000, 0x7F80};
    case opsrun::DT_FLOAT:
      return {0x80000000, 0x7F800000};
    case opsrun::DT_DOUBLE:
    case opsrun::DT_COMPLEX128:  // of each part
      return {0x8000000000000000, 0x7FF0000000000000};
    case opsrun::DT_COMPLEX64:
      return {0x8000000080000000, ~uint64_t{0}};
    default:
      return {};
  }
}

}  // namespace array_ops
