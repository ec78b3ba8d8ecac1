// opsrun_compat/hash.h: Hash64, which is MurmurHash64A with TensorFlow's seed, Hash32, and hashes of texts and pairs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/strings.h"
#include "opsrun/tstring.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// MurmurHash2, of 32 bits.
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
struct StringPieceHasher {
  size_t operator()(std::string_view text) const { return static_cast<size_t>(Hash64(text)); }
};

}  // namespace OPSRUN_HIDDEN
