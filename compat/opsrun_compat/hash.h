// opsrun_compat/hash.h: hashes of bytes that are the same in all versions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun_compat/basics.h"
#include "opsrun_compat/coding.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// MurmurHash2, 32 bits.
inline uint32 Hash32(const char* data, size_t n, uint32 seed) {
  constexpr uint32 kFactor = 0x5bd1e995;
  uint32 hash = seed ^ static_cast<uint32>(n);
  for (; n >= 4; data += 4, n -= 4) {
    uint32 word;
    memcpy(&word, data, sizeof(word));
    word *= kFactor;
    word ^= word >> 24;
    hash = (hash * kFactor) ^ (word * kFactor);
  }
  for (size_t i = n; i-- > 0;) hash ^= static_cast<uint32>(static_cast<unsigned char>(data[i])) << (8 * i);
  if (n > 0) hash *= kFactor;
  hash = (hash ^ hash >> 13) * kFactor;
  return hash ^ hash >> 15;
}

inline uint64 Hash64(const char* data, size_t n, uint64 seed) {
  constexpr uint64 kFactor = 0xc6a4a7935bd1e995ULL;
  uint64 hash = seed ^ (n * kFactor);
  for (; n >= 8; data += 8, n -= 8) {
    uint64 word;
    memcpy(&word, data, sizeof(word));
    word *= kFactor;
    word ^= word >> 47;
    hash = (hash ^ word * kFactor) * kFactor;
  }
  for (size_t i = n; i-- > 0;) hash ^= static_cast<uint64>(static_cast<unsigned char>(data[i])) << (8 * i);
  if (n > 0) hash *= kFactor;
  hash = (hash ^ hash >> 47) * kFactor;
  return hash ^ hash >> 47;
}
inline uint64 Hash64(const char* data, size_t n) {
  return Hash64(data, n, 0xDECAFCAFFE);
}
inline uint64 Hash64(std::string_view text) {
  return Hash64(text.data(), text.size());
}
inline uint64 Hash64Combine(uint64 a, uint64 b) {
  return a ^ (b + 0x9e3779b97f4a7800ULL + (a << 10) + (a >> 4));
}
inline uint64 Hash64CombineUnordered(uint64 a, uint64 b) {
  return a + b;
}

template <typename T, typename = void>
struct hash {
  size_t operator()(const T& value) const { return std::hash<T>()(value); }
};
template <typename T>
struct hash<T, std::enable_if_t<std::is_convertible_v<const T&, std::string_view>>> {
  size_t operator()(std::string_view text) const { return static_cast<size_t>(Hash64(text)); }
};
template <typename First, typename Second>
struct hash<std::pair<First, Second>> {
  size_t operator()(const std::pair<First, Second>& pair) const {
    return static_cast<size_t>(Hash64Combine(hash<First>()(pair.first), hash<Second>()(pair.second)));
  }
};
struct StringPieceHasher : hash<std::string_view> {};

struct Fprint128 {
  uint64 low64, high64;
};
inline bool operator==(const Fprint128& a, const Fprint128& b) {
  return a.low64 == b.low64 && a.high64 == b.high64;
}
struct Fprint128Hasher {
  size_t operator()(const Fprint128& value) const { return static_cast<size_t>(value.low64); }
};

// Fingerprint64 and Fingerprint128 are those of FarmHash, by Geoff Pike, and never change.

namespace internal {
namespace farm {

constexpr uint64 kFactor0 = 0xc3a5c85c97cb3127ULL, kFactor1 = 0xb492b66fbe98f273ULL, kFactor2 = 0x9ae16a3b2f90404fULL;
constexpr uint64 kFactorOf128 = 0x9ddfea08eb382d69ULL;

inline uint64 Word(const char* from) {
  return core::DecodeFixed64(from);
}
// 64 bits wide, so that shifts do not lose bits.
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

// The first and last bytes of 17 to 64 bytes, as two words that Pair combines.
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

// The state for long texts, which are mixed in 64 bytes at a time.
struct State {
  uint64 x, y, z;
  std::pair<uint64, uint64> v{0, 0}, w{0, 0};

  static std::pair<uint64, uint64> Mix32(const char* s, uint64 a, uint64 b) {
    a += Word(s);
    b = Rotated(b + a + Word(s + 24), 21);
    const uint64 sum = a + Word(s + 8) + Word(s + 16);
    return {sum + Word(s + 24), b + Rotated(sum, 44) + a};
  }
  // weight: 1, or 9 for the last block.
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

// For fewer than 128 bytes.
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

// For at least 128 bytes.
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
  // The rest, 32 bytes at a time from the end; the last block may overlap what was mixed in before.
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

inline uint64 Fingerprint64(StringPiece text) {
  namespace farm = internal::farm;
  if (text.size() <= 16) return farm::UpTo16(text.data(), text.size());
  return text.size() <= 64 ? farm::UpTo64(text.data(), text.size()) : farm::Long(text.data(), text.size());
}
// Combines two fingerprints; depends on their order.
inline uint64 FingerprintCat64(uint64 first, uint64 second) {
  constexpr uint64 kFactor = 0xc6a4a7935bd1e995ULL;
  using internal::farm::Mixed;
  const uint64 both = (first ^ kFactor ^ Mixed(second * kFactor) * kFactor) * kFactor;
  return Mixed(Mixed(both) * kFactor);
}

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
