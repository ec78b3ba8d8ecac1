// opsrun_compat/coding.h: fixed-length and variable-length integers as bytes; Base64; CRC32C.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <string.h>

#include <array>
#include <string>
#include <string_view>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/status.h"
#include "opsrun/strings.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace core {

// All encodings are little-endian.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "for little-endian machines");

#define OPSRUN_FIXED(bits)                                            \
  inline void EncodeFixed##bits(char* to, uint##bits value) {         \
    memcpy(to, &value, sizeof(value));                                \
  }                                                                   \
  inline uint##bits DecodeFixed##bits(const char* from) {             \
    uint##bits value;                                                 \
    memcpy(&value, from, sizeof(value));                              \
    return value;                                                     \
  }                                                                   \
  inline void PutFixed##bits(std::string* to, uint##bits value) {     \
    to->append(reinterpret_cast<const char*>(&value), sizeof(value)); \
  }
OPSRUN_FIXED(16)
OPSRUN_FIXED(32)
OPSRUN_FIXED(64)
#undef OPSRUN_FIXED

constexpr int kMaxVarint32Bytes = 5, kMaxVarint64Bytes = 10;

// Write a number to memory, which must be large enough, and return the end of what was written.
inline char* EncodeVarint64(char* to, uint64 value) {
  for (; value >= 128; value >>= 7) *to++ = static_cast<char>(value | 128);
  *to++ = static_cast<char>(value);
  return to;
}
inline char* EncodeVarint32(char* to, uint32 value) {
  return EncodeVarint64(to, value);
}
// Append a number to a std::string or a tstring.
template <typename Text>
void PutVarint64(Text* to, uint64 value) {
  char bytes[kMaxVarint64Bytes];
  to->append(bytes, static_cast<size_t>(EncodeVarint64(bytes, value) - bytes));
}
template <typename Text>
void PutVarint32(Text* to, uint32 value) {
  PutVarint64(to, value);
}
// Removes a number from the start of the text. False: there is no number, or it is too long.
inline bool GetVarint64(std::string_view* text, uint64* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && !text->empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(text->front());
    text->remove_prefix(1);
    *value |= static_cast<uint64>(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}
inline bool GetVarint32(std::string_view* text, uint32* value) {
  uint64 wide = 0;
  const bool ok = GetVarint64(text, &wide);
  *value = static_cast<uint32>(wide);
  return ok && wide <= kuint32max;
}
inline int VarintLength(uint64 value) {
  int length = 1;
  for (; value >= 128; value >>= 7) ++length;
  return length;
}

}  // namespace core

// Base64Encode and Base64Decode, with the alphabet for URLs and file names.

namespace internal {

constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

inline std::string Base64Text(std::string_view bytes, std::string_view digits, bool with_padding) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t n = bytes.size() - i < 3 ? bytes.size() - i : 3;
    unsigned group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (size_t k = 0; k <= n; ++k) text.push_back(digits[group >> (18 - 6 * k) & 63]);
    if (with_padding) text.append(3 - n, '=');
  }
  return text;
}

}  // namespace internal

// *to: a std::string or a tstring. with_padding: pads with "=" to a multiple of four characters.
template <typename Text>
ReturnedStatus Base64Encode(StringPiece bytes, bool with_padding, Text* to) {
  *to = internal::Base64Text(bytes, internal::kBase64Digits, with_padding);
  return Status();
}
template <typename Text>
ReturnedStatus Base64Encode(StringPiece bytes, Text* to) {
  return Base64Encode(bytes, false, to);
}

// Decodes text with or without padding. INVALID_ARGUMENT: it is not Base64.
template <typename Text>
ReturnedStatus Base64Decode(StringPiece text, Text* to) {
  if (text.size() % 4 == 0 && !text.empty() && text.back() == '=') {
    text.remove_suffix(text[text.size() - 2] == '=' ? 2 : 1);
  }
  std::string bytes;
  unsigned group = 0, bits = 0;
  for (const char c : text) {
    const size_t digit = internal::kBase64Digits.find(c);
    if (digit == std::string_view::npos) return errors::InvalidArgument("Base64 text has an invalid character");
    group = group << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>(group >> bits & 255));
  }
  if (text.size() % 4 == 1) return errors::InvalidArgument("Base64 text has an invalid length");
  *to = bytes;
  return Status();
}

// crc32c::Value and Extend: the Castagnoli CRC; Mask, for checksums that are stored with the data.

namespace crc32c {
namespace internal {

// The table of the remainders of all bytes, for the bit-reversed polynomial.
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

// The checksum of A followed by `data`, where crc is the checksum of A.
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

// The stored form of a checksum, because checksums of data that contains its own checksum are weak.
inline uint32 Mask(uint32 crc) {
  return (crc >> 15 | crc << 17) + internal::kMaskDelta;
}
inline uint32 Unmask(uint32 masked) {
  const uint32 rotated = masked - internal::kMaskDelta;
  return rotated >> 17 | rotated << 15;
}

}  // namespace crc32c

}  // namespace OPSRUN_HIDDEN
