// SPDX-License-Identifier: Apache-2.0
#include "rows.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace list_ops {
namespace {

struct ToWhole {
  typedef char* Whole;
  typedef const char* Part;
  static void Copy(char* whole, const char* part, size_t bytes) { std::memcpy(whole, part, bytes); }
};
struct ToParts {
  typedef const char* Whole;
  typedef char* Part;
  static void Copy(const char* whole, char* part, size_t bytes) { std::memcpy(part, whole, bytes); }
};

template <typename Way>
void Move(const Rows& r, typename Way::Whole whole, const typename Way::Part* parts, int64_t begin, int64_t end) {
  if (begin == end) return;
  const int64_t at = begin / r.row_bytes;
  int64_t offset = begin % r.row_bytes, row = at / r.parts, part = at % r.parts;
  while (begin < end) {
    const int64_t bytes = std::min(r.row_bytes - offset, end - begin);
    Way::Copy(whole + begin, parts[part] + row * r.row_bytes + offset, static_cast<size_t>(bytes));
    begin += bytes;
    offset = 0;
    if (++part == r.parts) part = 0, ++row;
  }
}

// Whole rows [begin, end), each part's in a few bytes: a call of memcpy would cost more than they do. A part after the
// other, for as many rows as stay in the first cache.
template <typename Way, int64_t kBytes>
void MoveThin(const Rows& r, typename Way::Whole whole, const typename Way::Part* parts, int64_t begin, int64_t end) {
  constexpr int64_t kBlockBytes = 16 << 10;
  const int64_t block = std::max<int64_t>(kBlockBytes / (r.parts * kBytes), 1);
  for (int64_t first = begin; first < end; first += block) {
    const int64_t last = std::min(first + block, end);
    for (int64_t part = 0; part < r.parts; ++part) {
      for (int64_t row = first; row < last; ++row) {
        Way::Copy(whole + (row * r.parts + part) * kBytes, parts[part] + row * kBytes, kBytes);
      }
    }
  }
}

template <typename Way>
using Mover = void (*)(const Rows&, typename Way::Whole, const typename Way::Part*, int64_t, int64_t);

template <typename Way>
Mover<Way> ThinMover(int64_t row_bytes) {
  switch (row_bytes) {
    case 1:
      return MoveThin<Way, 1>;
    case 2:
      return MoveThin<Way, 2>;
    case 3:
      return MoveThin<Way, 3>;
    case 4:
      return MoveThin<Way, 4>;
    case 8:
      return MoveThin<Way, 8>;
    case 12:
      return MoveThin<Way, 12>;
    case 16:
      return MoveThin<Way, 16>;
    default:
      return nullptr;
  }
}

template <typename Way>
void MoveRange(const Rows& r, typename Way::Whole whole, const typename Way::Part* parts, int64_t begin, int64_t end) {
  const Mover<Way> thin = ThinMover<Way>(r.row_bytes);
  const int64_t stride = r.parts * r.row_bytes;
  if (thin == nullptr || end - begin < 2 * stride) return Move<Way>(r, whole, parts, begin, end);
  const int64_t first = (begin + stride - 1) / stride, last = end / stride;
  Move<Way>(r, whole, parts, begin, first * stride);
  thin(r, whole, parts, first, last);
  Move<Way>(r, whole, parts, last * stride, end);
}

}  // namespace

void Join(const Rows& rows, const char* const* parts, char* whole, int64_t begin, int64_t end) {
  MoveRange<ToWhole>(rows, whole, parts, begin, end);
}

void Cut(const Rows& rows, const char* whole, char* const* parts, int64_t begin, int64_t end) {
  MoveRange<ToParts>(rows, whole, parts, begin, end);
}

}  // namespace list_ops
