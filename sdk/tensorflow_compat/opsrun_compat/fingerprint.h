// opsrun_compat/fingerprint.h: Fingerprint64 and Fingerprint128: hashes of bytes that never change.
//
// They are those of FarmHash, by Geoff Pike: its Fingerprint64 and Fingerprint128.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/strings.h"
#include "opsrun/types.h"
#include "opsrun_compat/coding.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {
namespace farm {

constexpr uint64 kFactor0 = 0xc3a5c85c97cb3127ULL, kFactor1 = 0xb492b66fbe98f273ULL, kFactor2 = 0x9ae16a3b2f90404fULL;
constexpr uint64 kFactorOf128 = 0x9ddfea08eb382d69ULL;

inline uint64 Word(const char* from) {
  return core::DecodeFixed64(from);
}
// Of 64 bits, so that shifts lose nothing.
inline uint64 HalfWord(const char* from) {
  return core::DecodeFixed32(from);
}
inline uint64 Byte(char byte) {
  return static_cast<unsigned char>(byte);
}
inline uint64 Rotated(uint64 word, int bits) {
  return word >> bits | word << (64 - bits);
}
inline uint64 Mixed(uint64 word) {
  return word ^ word >> 47;
}
inline uint64 Pair(uint64 low, uint64 high, uint64 factor = kFactorOf128) {
  const uint64 a = Mixed((low ^ high) * factor);
  return Mixed((high ^ a) * factor) * factor;
}

inline uint64 UpTo16(const char* s, size_t n) {
  if (n == 0) return kFactor2;
  if (n < 4) {
    const uint64 y = Byte(s[0]) + (Byte(s[n / 2]) << 8), z = n + (Byte(s[n - 1]) << 2);
    return Mixed(y * kFactor2 ^ z * kFactor0) * kFactor2;
  }
  const uint64 factor = kFactor2 + n * 2;
  if (n < 8) return Pair(n + (HalfWord(s) << 3), HalfWord(s + n - 4), factor);
  const uint64 a = Word(s) + kFactor2, b = Word(s + n - 8);
  return Pair(Rotated(b, 37) * factor + a, (Rotated(a, 25) + b) * factor, factor);
}

// The ends of 17 to 64 bytes, as two words that Pair joins.
struct Ends {
  Ends(const char* s, size_t n, uint64 first_factor) : factor(kFactor2 + n * 2), a(Word(s) * first_factor) {
    const uint64 b = Word(s + 8), c = Word(s + n - 8) * factor, d = Word(s + n - 16) * kFactor2;
    low = Rotated(a + b, 43) + Rotated(c, 30) + d;
    high = a + Rotated(b + kFactor2, 18) + c;
  }
  uint64 factor, a, low, high;
};

inline uint64 UpTo64(const char* s, size_t n) {
  const Ends ends(s, n, n <= 32 ? kFactor1 : kFactor2);
  const uint64 outer = Pair(ends.low, ends.high, ends.factor);
  if (n <= 32) return outer;
  const uint64 e = Word(s + 16) * ends.factor, f = Word(s + 24);
  const uint64 g = (ends.low + Word(s + n - 32)) * ends.factor, h = (outer + Word(s + n - 24)) * ends.factor;
  return Pair(Rotated(e + f, 43) + Rotated(g, 30) + h, e + Rotated(f + ends.a, 18) + g, ends.factor);
}

// What long texts are mixed into, 64 bytes at a time.
struct State {
  uint64 x, y, z;
  std::pair<uint64, uint64> v{0, 0}, w{0, 0};

  static std::pair<uint64, uint64> Mix32(const char* s, uint64 a, uint64 b) {
    a += Word(s);
    b = Rotated(b + a + Word(s + 24), 21);
    const uint64 sum = a + Word(s + 8) + Word(s + 16);
    return {sum + Word(s + 24), b + Rotated(sum, 44) + a};
  }
  // weight: 1, or 9 for the last ones.
  void Mix64(const char* s, uint64 factor, uint64 weight = 1) {
    x = Rotated(x + y + v.first + Word(s + 8), 37) * factor;
    y = Rotated(y + v.second + Word(s + 48), 42) * factor;
    x ^= w.second * weight;
    y += v.first * weight + Word(s + 40);
    z = Rotated(z + w.first, 33) * factor;
    v = Mix32(s, v.second * factor, x + w.first);
    w = Mix32(s + 32, z + w.second, y + Word(s + 16));
    std::swap(z, x);
  }
};

inline uint64 Long(const char* s, size_t n) {
  constexpr uint64 kSeed = 81;
  const uint64 y = kSeed * kFactor1 + 113;
  State state{kSeed * kFactor2 + Word(s), y, Mixed(y * kFactor2 + 113) * kFactor2};
  const char* const end = s + (n - 1) / 64 * 64;
  const char* const last = s + n - 64;
  for (; s != end; s += 64) state.Mix64(s, kFactor1);
  const uint64 factor = kFactor1 + ((state.z & 255) << 1);
  state.w.first += (n - 1) & 63;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.Mix64(last, factor, 9);
  return Pair(Pair(state.v.first, state.w.first, factor) + Mixed(state.y) * kFactor0 + state.z,
              Pair(state.v.second, state.w.second, factor) + state.x, factor);
}

}  // namespace farm
}  // namespace internal

inline uint64 Fingerprint64(StringPiece text) {
  namespace farm = internal::farm;
  if (text.size() <= 16) return farm::UpTo16(text.data(), text.size());
  return text.size() <= 64 ? farm::UpTo64(text.data(), text.size()) : farm::Long(text.data(), text.size());
}
// A fingerprint of two, which depends on their order.
inline uint64 FingerprintCat64(uint64 first, uint64 second) {
  constexpr uint64 kFactor = 0xc6a4a7935bd1e995ULL;
  using internal::farm::Mixed;
  const uint64 both = (first ^ kFactor ^ Mixed(second * kFactor) * kFactor) * kFactor;
  return Mixed(Mixed(both) * kFactor);
}

}  // namespace OPSRUN_HIDDEN
