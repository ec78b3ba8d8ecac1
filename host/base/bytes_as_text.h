// host/base/bytes_as_text.h: bytes as text: Base64 (RFC 4648, section 4), and 64-bit FNV-1a hashes of contents.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/base/status.h"

namespace opsrun::host {

std::string EncodeBase64(std::string_view bytes);

// Skips spaces and line breaks. INVALID_ARGUMENT for any other character, an incomplete group of four, or nonzero
// leftover bits; the message says what is wrong and after how many characters.
Result<std::string> DecodeBase64(std::string_view text);

// 64-bit FNV-1a. Detects accidental differences; use it only where nothing is gained by a deliberate collision.
class ContentHash {
 public:
  void Add(std::string_view bytes) {
    for (const char byte : bytes) value_ = (value_ ^ static_cast<unsigned char>(byte)) * 1'099'511'628'211u;
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 14'695'981'039'346'656'037u;
};

inline uint64_t HashOf(std::string_view bytes) {
  ContentHash hash;
  hash.Add(bytes);
  return hash.value();
}

}  // namespace opsrun::host
