// host/plugin/plain_text.cc: UTF-8 without control characters.
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plain_text.h"

#include <cstddef>
#include <cstdint>

namespace opsrun::host {
namespace {

// Bytes that the sequence beginning with `lead` takes; 0 for a byte that begins none.
size_t SequenceLength(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// The code point of a sequence of 2 to 4 bytes, or a surrogate (which is none) if a byte does not continue it.
uint32_t CodePoint(std::string_view sequence) {
  constexpr uint32_t kNone = 0xD800;
  uint32_t point = static_cast<uint8_t>(sequence[0]) & (0x7Fu >> sequence.size());
  for (char c : sequence.substr(1)) {
    if ((static_cast<uint8_t>(c) & 0xC0) != 0x80) return kNone;
    point = point << 6 | (static_cast<uint8_t>(c) & 0x3F);
  }
  return point;
}

bool IsPrintable(uint32_t point, size_t length) {
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  bool control = (point < 0x20 && point != '\n' && point != '\t' && point != '\r') || (point >= 0x7F && point < 0xA0);
  bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  return !control && !surrogate && point >= kSmallest[length] && point <= 0x10FFFF;
}

// How many printable ASCII characters the text begins with.
size_t AsciiPrefix(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && text[n] >= 0x20 && text[n] < 0x7F) ++n;
  return n;
}

}  // namespace

bool IsPlainText(std::string_view text) {
  for (text.remove_prefix(AsciiPrefix(text)); !text.empty(); text.remove_prefix(AsciiPrefix(text))) {
    size_t length = SequenceLength(static_cast<uint8_t>(text[0]));
    if (length == 0 || length > text.size()) return false;
    uint32_t point = length == 1 ? static_cast<uint8_t>(text[0]) : CodePoint(text.substr(0, length));
    if (!IsPrintable(point, length)) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool IsPlainName(std::string_view text) {
  return !text.empty() && text.find_first_of("\n\r\t") == std::string_view::npos && IsPlainText(text);
}

}  // namespace opsrun::host
