// opsrun_compat/coding.h: core::EncodeFixed32, DecodeFixed64, varints and relatives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include <string>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/strings.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace core {

// The bytes of all numbers have the lowest first.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "for little-endian machines");

inline void EncodeFixed16(char* to, uint16 value) {
  memcpy(to, &value, sizeof(value));
}
inline void EncodeFixed32(char* to, uint32 value) {
  memcpy(to, &value, sizeof(value));
}
inline void EncodeFixed64(char* to, uint64 value) {
  memcpy(to, &value, sizeof(value));
}
inline uint16 DecodeFixed16(const char* from) {
  uint16 value;
  memcpy(&value, from, sizeof(value));
  return value;
}
inline uint32 DecodeFixed32(const char* from) {
  uint32 value;
  memcpy(&value, from, sizeof(value));
  return value;
}
inline uint64 DecodeFixed64(const char* from) {
  uint64 value;
  memcpy(&value, from, sizeof(value));
  return value;
}
inline void PutFixed16(std::string* to, uint16 value) {
  to->append(reinterpret_cast<const char*>(&value), sizeof(value));
}
inline void PutFixed32(std::string* to, uint32 value) {
  to->append(reinterpret_cast<const char*>(&value), sizeof(value));
}
inline void PutFixed64(std::string* to, uint64 value) {
  to->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

constexpr int kMaxVarint32Bytes = 5, kMaxVarint64Bytes = 10;

// Write a number to memory, which must have room for it, and return the place behind it.
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
// Takes a number off the text. False: there is none, or it is too long.
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
}  // namespace OPSRUN_HIDDEN
