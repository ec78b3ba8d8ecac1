// SPDX-License-Identifier: Apache-2.0
#include "host/base/bytes_as_text.h"

namespace opsrun::host {
namespace {

constexpr std::string_view kSixBits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBlanks = " \t\r\n";

std::string PlaceText(size_t at) {
  return at == 0 ? "at the beginning" : "after " + std::to_string(at) + (at == 1 ? " character" : " characters");
}

// Checks what follows the last character that encodes bits. Requires: all earlier groups are complete.
Status CheckEnd(std::string_view rest, size_t at, size_t in_group, uint32_t bits) {
  size_t signs = 0;
  for (const char c : rest) {
    if (kBlanks.find(c) != std::string_view::npos) continue;
    if (c != '=') return InvalidArgument("invalid base64 " + PlaceText(at));
    ++signs;
  }
  if (in_group == 1 || (in_group + signs) % 4 != 0 || (in_group == 0 && signs > 0) || signs > 2) {
    return InvalidArgument("invalid base64: the last group of four characters is incomplete");
  }
  const uint32_t unused = in_group == 2 ? 0xf : in_group == 3 ? 0x3 : 0;
  return (bits & unused) == 0 ? OkStatus()
                              : InvalidArgument("invalid base64: the last character has unused bits that are not zero");
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i) bits = bits << 8 | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0);
    for (size_t i = 0; i < 4; ++i) text += i > group.size() ? '=' : kSixBits[bits >> (18 - 6 * i) & 0x3f];
  }
  return text;
}

Result<std::string> DecodeBase64(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  size_t in_group = 0, at = 0;
  for (; at < text.size(); ++at) {
    if (kBlanks.find(text[at]) != std::string_view::npos) continue;
    const size_t six = kSixBits.find(text[at]);
    if (six == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(six);
    in_group = (in_group + 1) % 4;
    if (in_group != 1) bytes += static_cast<char>(bits >> (in_group == 2 ? 4 : in_group == 3 ? 2 : 0));
  }
  if (Status status = CheckEnd(text.substr(at), at, in_group, bits); !status.ok()) return status;
  return bytes;
}

}  // namespace opsrun::host
