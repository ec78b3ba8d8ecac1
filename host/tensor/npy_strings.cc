// host/tensor/npy_strings.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/npy_strings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "host/base/utf8.h"

namespace opsrun::host {
namespace {

uint32_t CharacterAt(const char* from, bool swapped) {
  uint32_t code = 0;
  std::memcpy(&code, from, sizeof code);
  return swapped ? __builtin_bswap32(code) : code;
}

Result<std::string> Characters(const char* from, size_t width, bool swapped) {
  while (width > 0 && CharacterAt(from + 4 * (width - 1), swapped) == 0) --width;
  std::string text;
  for (size_t i = 0; i < width; ++i) {
    const uint32_t code = CharacterAt(from + 4 * i, swapped);
    if (!IsUnicode(code)) return InvalidArgument(fmt::format("holds {:#x}, which is no character", code));
    AppendUtf8(code, &text);
  }
  return text;
}

size_t CountCharacters(std::string_view text) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), begins));
}

}  // namespace

Result<std::string> NpyStringFrom(const NpyStrings& form, const char* from, bool swapped) {
  if (form.characters) return Characters(from, form.width, swapped);
  size_t size = form.width;
  while (size > 0 && from[size - 1] == '\0') --size;
  return std::string(from, size);
}

Result<NpyStrings> NpyFormOf(const Tensor& strings) {
  NpyStrings form{true, 1};
  size_t bytes = 1;
  for (int64_t i = 0; i < strings.num_elements(); ++i) {
    const std::string_view text = strings.string(i);
    if (!text.empty() && text.back() == '\0') {
      return InvalidArgument(
          fmt::format("cannot hold string {}: it ends in a NUL byte, which NumPy takes for padding", i));
    }
    form.characters = form.characters && IsUtf8(text);
    form.width = std::max(form.width, CountCharacters(text));
    bytes = std::max(bytes, text.size());
  }
  if (!form.characters) form.width = bytes;
  return form;
}

void AppendNpyString(const NpyStrings& form, std::string_view text, std::string* to) {
  const size_t end = to->size() + form.bytes();
  while (form.characters && !text.empty()) {
    const Utf8Character c = DecodeUtf8(text);
    to->append(reinterpret_cast<const char*>(&c.code), sizeof c.code);
    text.remove_prefix(c.size);
  }
  to->append(text);
  to->resize(end, '\0');
}

}  // namespace opsrun::host
