// SPDX-License-Identifier: Apache-2.0
#include "host/base/characters.h"

namespace opsrun::host {
namespace {

constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};  // smallest code of each sequence length

// Length in bytes of a sequence that begins with `lead`; 0 if none does.
size_t SequenceSize(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  return lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
}

}  // namespace

Utf8Character DecodeUtf8(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text.empty() ? 0x80 : text[0]);
  const size_t size = SequenceSize(lead);
  if (size <= 1) return {lead, size};
  if (size > text.size()) return {};
  uint32_t code = lead & (0x7Fu >> size);
  for (const char c : text.substr(1, size - 1)) {
    if (!IsContinuationByte(c)) return {};
    code = code << 6 | (static_cast<uint8_t>(c) & 0x3F);
  }
  return code >= kSmallest[size] && IsUnicode(code) ? Utf8Character{code, size} : Utf8Character{};
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t size = DecodeUtf8(text).size;
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

void AppendUtf8(uint32_t code, std::string* text) {
  const auto put = [text](uint32_t byte) { text->push_back(static_cast<char>(byte)); };
  if (code < 0x80) return put(code);
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  put((0xFF00u >> (more + 1) & 0xFF) | code >> (6 * more));
  for (int i = more - 1; i >= 0; --i) put(0x80 | (code >> (6 * i) & 0x3F));
}

}  // namespace opsrun::host
