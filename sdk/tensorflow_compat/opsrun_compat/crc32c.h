// opsrun_compat/crc32c.h: crc32c::Value and Extend: the checksum of Castagnoli; Mask, for checksums stored with the
// data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include <array>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace crc32c {
namespace internal {

// The remainders of all bytes, for the polynomial with reversed bits.
constexpr std::array<uint32, 256> RemaindersOfBytes() {
  std::array<uint32, 256> remainders{};
  for (uint32 byte = 0; byte < 256; ++byte) {
    uint32 remainder = byte;
    for (int bit = 0; bit < 8; ++bit) remainder = remainder >> 1 ^ ((remainder & 1) != 0 ? 0x82f63b78u : 0u);
    remainders[byte] = remainder;
  }
  return remainders;
}
inline constexpr std::array<uint32, 256> kRemainders = RemaindersOfBytes();
constexpr uint32 kMaskDelta = 0xa282ead8u;

}  // namespace internal

// The checksum of A and `data`, where crc is that of A.
inline uint32 Extend(uint32 crc, const char* data, size_t n) {
  crc = ~crc;
  for (size_t i = 0; i < n; ++i) {
    crc = internal::kRemainders[(crc ^ static_cast<unsigned char>(data[i])) & 255] ^ crc >> 8;
  }
  return ~crc;
}
inline uint32 Value(const char* data, size_t n) {
  return Extend(0, data, n);
}

// A checksum as it is stored: the checksum of data that contains its own checksum says little.
inline uint32 Mask(uint32 crc) {
  return (crc >> 15 | crc << 17) + internal::kMaskDelta;
}
inline uint32 Unmask(uint32 masked) {
  const uint32 rotated = masked - internal::kMaskDelta;
  return rotated >> 17 | rotated << 15;
}

}  // namespace crc32c
}  // namespace OPSRUN_HIDDEN
