// host/yaml/libyaml_text.h: a text of the same length that libyaml accepts, so that locations are the same.
//
// libyaml 0.2.5 refuses tabs in empty lines and before comments, which become spaces, and characters that JSON writes
// as two escapes, "\ud83d\ude00", which are replaced by marks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/yaml/reporter.h"
#include "host/yaml/text_places.h"

namespace opsrun::host {

class LibyamlText {
 public:
  // source must outlive this object.
  explicit LibyamlText(std::string_view source);

  const std::string& text() const { return text_; }

  // The value of the scalar at `extent`, for which libyaml returned `value`.
  std::string Restore(std::string_view value, const Extent& extent, bool double_quoted) const;

  // The offset of the first tab in `extent` that became a space.
  std::optional<size_t> LostTab(const Extent& extent) const;

 private:
  void BlankTabs();
  void MarkSurrogates();

  std::string_view source_;
  std::string text_;
  std::vector<std::pair<size_t, std::string>> surrogates_;  // offset; the character, in UTF-8
};

// Checks that the text is UTF-8 without forbidden characters. On failure, adds an error G001 at the first invalid byte
// or control character that YAML does not allow, and returns false.
bool CheckCharacters(Reporter& reporter);

// True if a text may contain the character without an escape. Line feeds and tabs are also allowed.
bool IsPrintable(uint32_t code);

}  // namespace opsrun::host
