// host/base/content_hash.h: FNV-1a with 64 bits, which tells contents apart that differ by accident.
//
// Nobody gains from making two alike where it is used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace opsrun::host {

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
