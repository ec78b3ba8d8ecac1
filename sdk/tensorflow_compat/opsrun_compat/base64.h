// opsrun_compat/base64.h: Base64Encode and Base64Decode, with the alphabet that URLs and file names may contain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/status.h"
#include "opsrun/strings.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace internal

// *to: a std::string or a tstring. with_padding: "=" up to a multiple of four characters.
template <typename Text>
ReturnedStatus Base64Encode(StringPiece bytes, bool with_padding, Text* to) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t n = bytes.size() - i < 3 ? bytes.size() - i : 3;
    unsigned group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (size_t k = 0; k <= n; ++k) text.push_back(internal::kBase64Digits[group >> (18 - 6 * k) & 63]);
    if (with_padding) text.append(3 - n, '=');
  }
  *to = text;
  return Status();
}
template <typename Text>
ReturnedStatus Base64Encode(StringPiece bytes, Text* to) {
  return Base64Encode(bytes, false, to);
}

// The bytes of such text, with or without padding. INVALID_ARGUMENT: it is not such text.
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

}  // namespace OPSRUN_HIDDEN
