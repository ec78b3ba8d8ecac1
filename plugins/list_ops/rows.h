// plugins/list_ops/rows.h: the loop behind Pack, Unpack and Split, on bytes, independent of data types.
//
// Parts joined along an axis form a whole. Each row of the whole holds one row of every part, side by side. The
// dimensions before the axis count the rows; a row consists of the axis and the dimensions after it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace list_ops {

struct Rows {
  int64_t rows = 0;
  int64_t parts = 0;
  int64_t row_bytes = 0;  // of one part
  bool strings = false;   // elements are tstring objects, which must be assigned and not copied as bytes

  int64_t bytes() const { return rows * parts * row_bytes; }
};

// Join writes the bytes [begin, end) of the whole; Cut reads them and writes the parts. Thread-safe for disjoint
// ranges. Requires: a range of whole strings, if there are any, within bytes(); whole and parts do not overlap.
void Join(const Rows& rows, const char* const* parts, char* whole, int64_t begin, int64_t end);
void Cut(const Rows& rows, const char* whole, char* const* parts, int64_t begin, int64_t end);

}  // namespace list_ops
