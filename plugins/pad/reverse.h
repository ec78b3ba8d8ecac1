// plugins/pad/reverse.h: units of a few bytes, copied in reverse order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

namespace pad {

// The units of Size bytes in a word, in reverse order.
template <int64_t Size>
uint64_t ReverseWord(uint64_t word) {
  if constexpr (Size == 1) return __builtin_bswap64(word);
  word = word << 32 | word >> 32;
  if constexpr (Size == 4) return word;
  constexpr uint64_t kLow = 0x0000FFFF0000FFFF;
  return (word & kLow) << 16 | (word >> 16 & kLow);
}

// Writes as many units as fill whole words; returns how many. `end`: behind the last unit.
template <int64_t Size>
int64_t ReverseWords(const char* end, int64_t count, char* out) {
  constexpr int64_t kWord = sizeof(uint64_t);
  const int64_t words = count * Size / kWord;
  for (int64_t i = 0; i < words; ++i) {
    uint64_t word;
    std::memcpy(&word, end - (i + 1) * kWord, kWord);
    word = ReverseWord<Size>(word);
    std::memcpy(out + i * kWord, &word, kWord);
  }
  return words * kWord / Size;
}

// Size 0: known at run time only.
template <int64_t Size>
void ReverseUnits(const char* in, int64_t count, int64_t unit_bytes, char* out) {
  const int64_t size = Size != 0 ? Size : unit_bytes;
  int64_t done = 0;
  if constexpr (Size == 1 || Size == 2 || Size == 4) done = ReverseWords<Size>(in + count * size, count, out);
  for (int64_t i = done; i < count; ++i) {
    std::memcpy(out + i * size, in + (count - 1 - i) * size, static_cast<size_t>(size));
  }
}

// The sizes of data types, and of pixels of three channels.
inline void ReverseUnits(const char* in, int64_t count, int64_t unit_bytes, char* out) {
  switch (unit_bytes) {
    case 1:
      return ReverseUnits<1>(in, count, unit_bytes, out);
    case 2:
      return ReverseUnits<2>(in, count, unit_bytes, out);
    case 3:
      return ReverseUnits<3>(in, count, unit_bytes, out);
    case 4:
      return ReverseUnits<4>(in, count, unit_bytes, out);
    case 8:
      return ReverseUnits<8>(in, count, unit_bytes, out);
    case 12:
      return ReverseUnits<12>(in, count, unit_bytes, out);
    case 16:
      return ReverseUnits<16>(in, count, unit_bytes, out);
    default:
      return ReverseUnits<0>(in, count, unit_bytes, out);
  }
}

}  // namespace pad
