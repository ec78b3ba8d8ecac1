// host/yaml/check_characters.cc: is this text at all?
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/check_characters.h"

#include <fmt/core.h>

#include <cstdint>
#include <string_view>

#include "host/base/utf8.h"
#include "host/yaml/text_places.h"

namespace opsrun::host {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool IsAllowed(uint32_t code, std::string_view rest) {
  if (code == '\t' || code == '\n') return true;
  if (code == '\r') return rest.substr(0, 2) == "\r\n";
  return IsPrintable(code);
}

bool Refuse(Reporter& reporter, size_t at, std::string message, std::string help) {
  const Position place = TextPlaces(reporter.source().text).PositionAt(at);
  return reporter.Refuse("G001", OneCharacter(place), std::move(message), std::move(help));
}

}  // namespace

// Without U+2028 and U+2029, which end a line for libyaml and not for YAML 1.2.
bool IsPrintable(uint32_t code) {
  return !IsControl(code) && code != 0x2028 && code != 0x2029 && code != 0xfffe && code != 0xffff;
}

bool CheckCharacters(Reporter& reporter) {
  const std::string_view text = reporter.source().text;
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    return Refuse(reporter, 0, "the text begins with a byte order mark", "save it as UTF-8 without one");
  }
  for (size_t at = 0; at < text.size();) {
    const Utf8Character character = DecodeUtf8(text.substr(at));
    if (character.size == 0) {
      return Refuse(
          reporter, at,
          fmt::format("the text is not UTF-8: the byte {:02x} cannot stand here", static_cast<unsigned char>(text[at])),
          "save the file as UTF-8");
    }
    if (!IsAllowed(character.code, text.substr(at))) {
      const std::string escape =
          character.code > 0xff ? fmt::format("u{:04x}", character.code) : fmt::format("x{:02x}", character.code);
      return Refuse(reporter, at, fmt::format("the control character {} is not allowed", escape.substr(1)),
                    fmt::format("write \"\\{}\" in double quotes, or end lines with a line feed", escape));
    }
    at += character.size;
  }
  return true;
}

}  // namespace opsrun::host
