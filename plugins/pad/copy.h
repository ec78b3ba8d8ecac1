// plugins/pad/copy.h: memcpy for lengths that are known late and are often small, where a call costs more than the
// bytes. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

namespace pad {

// Both ends, which overlap in the middle. Requires: Size <= bytes <= 2 * Size.
template <size_t Size>
void CopyEnds(char* to, const char* from, int64_t bytes) {
  char front[Size], back[Size];
  std::memcpy(front, from, Size);
  std::memcpy(back, from + bytes - Size, Size);
  std::memcpy(to, front, Size);
  std::memcpy(to + bytes - Size, back, Size);
}

// Requires: 0 <= bytes <= 16.
inline void CopyFew(char* to, const char* from, int64_t bytes) {
  if (bytes >= 8) return CopyEnds<8>(to, from, bytes);
  if (bytes >= 4) return CopyEnds<4>(to, from, bytes);
  if (bytes >= 2) return CopyEnds<2>(to, from, bytes);
  if (bytes == 1) *to = *from;
}

// Requires: bytes >= 0; the pointers may be null if it is 0.
inline void Copy(char* to, const char* from, int64_t bytes) {
  if (bytes <= 16) return CopyFew(to, from, bytes);
  std::memcpy(to, from, static_cast<size_t>(bytes));
}

}  // namespace pad
