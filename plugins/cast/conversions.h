// plugins/cast/conversions.h: conversions of arrays, by data type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>

#include "opsrun/types.h"

namespace cast {

// Numbers on their way from one type to another, in one of the wide types.
constexpr int64_t kPiece = 256;
union Piece {
  int64_t ints[kPiece];
  uint64_t naturals[kPiece];
  double reals[2 * kPiece];  // complex numbers are pairs
};

// The bits of a double after the leading one.
constexpr int kAllFractionBits = 52;

// Converts `count` numbers, kPiece at most. `keep`: bits of the fraction that a float is cut to.
using Load = void (*)(const void* from, int64_t count, Piece* piece);
using Store = void (*)(const Piece& piece, int64_t count, int keep, void* to);

struct Conversion {
  Load load = nullptr;
  Store store = nullptr;
};

// Null pointers for types that Cast does not convert.
Conversion ConversionOf(opsrun::DataType from, opsrun::DataType to);

// How many bits of the fraction the type has; kAllFractionBits for types that are not floating-point numbers.
int FractionBits(opsrun::DataType type);

}  // namespace cast
