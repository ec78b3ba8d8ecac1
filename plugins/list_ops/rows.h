// plugins/list_ops/rows.h: the loop behind Pack, Unpack and Split, on bytes. It knows no data type and no opsrun.
//
// Several parts joined along an axis are one whole whose rows hold a row of each part, side by side:
//
//     row 0 of part 0, row 0 of part 1, ..., row 1 of part 0, row 1 of part 1, ...
//
// What lies outside of the axis counts the rows, what lies inside is a row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace list_ops {

struct Rows {
  int64_t rows = 0;
  int64_t parts = 0;
  int64_t row_bytes = 0;  // of one part

  int64_t bytes() const { return rows * parts * row_bytes; }
};

// Join writes the bytes [begin, end) of the whole, Cut reads them and writes the parts. Calls for disjoint ranges may
// run at once. Requires: 0 <= begin <= end <= bytes(); whole and parts do not overlap.
void Join(const Rows& rows, const char* const* parts, char* whole, int64_t begin, int64_t end);
void Cut(const Rows& rows, const char* whole, char* const* parts, int64_t begin, int64_t end);

}  // namespace list_ops
