// opsrun_compat/fingerprint128.h: Fingerprint128: a hash of 128 bits that never changes. It is FarmHash's, by Geoff
// Pike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/fingerprint.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

struct Fprint128 {
  uint64 low64, high64;
};
inline bool operator==(const Fprint128& a, const Fprint128& b) {
  return a.low64 == b.low64 && a.high64 == b.high64;
}
struct Fprint128Hasher {
  size_t operator()(const Fprint128& value) const { return static_cast<size_t>(value.low64); }
};

namespace internal {
namespace farm {

// Of fewer than 128 bytes.
inline Fprint128 Short128(const char* s, size_t n, uint64 a, uint64 b) {
  uint64 c = 0, d = 0;
  if (n <= 16) {
    a = Mixed(a * kFactor1) * kFactor1;
    c = b * kFactor1 + UpTo16(s, n);
    d = Mixed(a + (n >= 8 ? Word(s) : c));
  } else {
    c = Pair(Word(s + n - 8) + kFactor1, a);
    d = Pair(b + n, c + Word(s + n - 16));
    a += d;
    for (const char* const end = s + (n - 1) / 16 * 16; s != end; s += 16) {
      a = (a ^ Mixed(Word(s) * kFactor1) * kFactor1) * kFactor1;
      b ^= a;
      c = (c ^ Mixed(Word(s + 8) * kFactor1) * kFactor1) * kFactor1;
      d ^= c;
    }
  }
  a = Pair(a, c);
  b = Pair(d, b);
  return {a ^ b, Pair(b, a)};
}

// Of at least 128 bytes.
inline Fprint128 Long128(const char* s, size_t n, uint64 low, uint64 high) {
  State state{low, high, n * kFactor1};
  State& t = state;
  t.v.first = Rotated(high ^ kFactor1, 49) * kFactor1 + Word(s);
  t.v.second = Rotated(t.v.first, 42) * kFactor1 + Word(s + 8);
  t.w.first = Rotated(high + t.z, 35) * kFactor1 + low;
  t.w.second = Rotated(low + Word(s + 88), 53) * kFactor1;
  for (; n >= 128; s += 128, n -= 128) {
    t.Mix64(s, kFactor1);
    t.Mix64(s + 64, kFactor1);
  }
  t.x += Rotated(t.v.first + t.z, 49) * kFactor0;
  t.y = t.y * kFactor0 + Rotated(t.w.second, 37);
  t.z = t.z * kFactor0 + Rotated(t.w.first, 27);
  t.w.first *= 9;
  t.v.first *= kFactor0;
  // The rest, 32 bytes at a time from the end; the last ones may have been mixed in before.
  for (size_t done = 32; done < n + 32; done += 32) {
    const char* const tail = s + n - done;
    t.y = Rotated(t.x + t.y, 42) * kFactor0 + t.v.second;
    t.w.first += Word(tail + 16);
    t.x = t.x * kFactor0 + t.w.first;
    t.z += t.w.second + Word(tail);
    t.w.second += t.v.first;
    t.v = State::Mix32(tail, t.v.first + t.z, t.v.second);
    t.v.first *= kFactor0;
  }
  const uint64 x = Pair(t.x, t.v.first), y = Pair(t.y + t.z, t.w.first);
  return {Pair(x + t.v.second, t.w.second) + y, Pair(x + t.w.second, y + t.v.second)};
}

}  // namespace farm
}  // namespace internal

inline Fprint128 Fingerprint128(StringPiece text) {
  namespace farm = internal::farm;
  const char* s = text.data();
  size_t n = text.size();
  uint64 low = farm::kFactor0, high = farm::kFactor1;
  if (n >= 16) {
    low = farm::Word(s);
    high = farm::Word(s + 8) + farm::kFactor0;
    s += 16;
    n -= 16;
  }
  return n < 128 ? farm::Short128(s, n, low, high) : farm::Long128(s, n, low, high);
}

}  // namespace OPSRUN_HIDDEN
