// plugins/list_ops/rows.h: the loop behind Pack, Unpack and Split, on bytes, independent of data types.
//
// Parts joined along an axis form a whole. Each row of the whole holds one row of every part, side by side. The
// dimensions before the axis count the rows; a row consists of the axis and the dimensions after it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "opsrun/tstring.h"

namespace list_ops {

struct Rows {
  int64_t rows = 0;
  int64_t parts = 0;
  int64_t row_bytes = 0;  // of one part
  bool strings = false;   // elements are tstring objects, which must be assigned and not copied as bytes

  int64_t bytes() const { return rows * parts * row_bytes; }
};

// Joining reads the parts and writes the whole; cutting (kJoin is false) does the opposite.
template <bool kJoin>
using WholePointer = std::conditional_t<kJoin, char*, const char*>;
template <bool kJoin>
using PartPointer = std::conditional_t<kJoin, const char*, char*>;

template <bool kJoin>
void Copy(WholePointer<kJoin> whole, PartPointer<kJoin> part, size_t bytes) {
  if constexpr (kJoin) std::memcpy(whole, part, bytes);
  if constexpr (!kJoin) std::memcpy(part, whole, bytes);
}

template <bool kJoin>
void CopyStrings(WholePointer<kJoin> whole, PartPointer<kJoin> part, size_t bytes) {
  using opsrun::tstring;
  const size_t count = bytes / sizeof(tstring);
  if constexpr (kJoin) {
    std::copy_n(reinterpret_cast<const tstring*>(part), count, reinterpret_cast<tstring*>(whole));
  } else {
    std::copy_n(reinterpret_cast<const tstring*>(whole), count, reinterpret_cast<tstring*>(part));
  }
}

template <bool kJoin>
void Move(const Rows& r, WholePointer<kJoin> whole, const PartPointer<kJoin>* parts, int64_t begin, int64_t end) {
  if (begin == end) return;
  const int64_t at = begin / r.row_bytes;
  int64_t offset = begin % r.row_bytes, row = at / r.parts, part = at % r.parts;
  while (begin < end) {
    const int64_t bytes = std::min(r.row_bytes - offset, end - begin);
    const PartPointer<kJoin> of_part = parts[part] + row * r.row_bytes + offset;
    if (r.strings) {
      CopyStrings<kJoin>(whole + begin, of_part, static_cast<size_t>(bytes));
    } else {
      Copy<kJoin>(whole + begin, of_part, static_cast<size_t>(bytes));
    }
    begin += bytes;
    offset = 0;
    if (++part == r.parts) part = 0, ++row;
  }
}

// Copies whole rows [begin, end) of few bytes without memcpy, part by part: as many rows as fit the L1 cache.
template <bool kJoin, int64_t kBytes>
void MoveThin(const Rows& r, WholePointer<kJoin> whole, const PartPointer<kJoin>* parts, int64_t begin, int64_t end) {
  constexpr int64_t kBlockBytes = 16 << 10;
  const int64_t block = std::max<int64_t>(kBlockBytes / (r.parts * kBytes), 1);
  for (int64_t first = begin; first < end; first += block) {
    const int64_t last = std::min(first + block, end);
    for (int64_t part = 0; part < r.parts; ++part) {
      for (int64_t row = first; row < last; ++row) {
        Copy<kJoin>(whole + (row * r.parts + part) * kBytes, parts[part] + row * kBytes, kBytes);
      }
    }
  }
}

template <bool kJoin>
using Mover = void (*)(const Rows&, WholePointer<kJoin>, const PartPointer<kJoin>*, int64_t, int64_t);

// NULL: rows are not thin.
template <bool kJoin, int64_t... kSizes>
Mover<kJoin> ThinMover(int64_t row_bytes, std::integer_sequence<int64_t, kSizes...>) {
  Mover<kJoin> mover = nullptr;
  ((row_bytes == kSizes ? void(mover = MoveThin<kJoin, kSizes>) : void()), ...);
  return mover;
}

// Moves the bytes [begin, end) of the whole. Thread-safe for disjoint ranges. Requires: a range of whole strings, if
// there are any, within bytes(); whole and parts do not overlap.
template <bool kJoin>
void MoveRange(const Rows& r, WholePointer<kJoin> whole, const PartPointer<kJoin>* parts, int64_t begin, int64_t end) {
  const Mover<kJoin> thin = ThinMover<kJoin>(r.row_bytes, std::integer_sequence<int64_t, 1, 2, 3, 4, 8, 12, 16>());
  const int64_t stride = r.parts * r.row_bytes;
  if (thin == nullptr || r.strings || end - begin < 2 * stride) return Move<kJoin>(r, whole, parts, begin, end);
  const int64_t first = (begin + stride - 1) / stride, last = end / stride;
  Move<kJoin>(r, whole, parts, begin, first * stride);
  thin(r, whole, parts, first, last);
  Move<kJoin>(r, whole, parts, last * stride, end);
}

}  // namespace list_ops
