// host/yaml/prepared_text.h: a text that libyaml accepts, of the same length, so that all places are the same.
//
// libyaml 0.2.5 does not accept tabs in empty lines and before comments, which become spaces, and characters that JSON
// writes as two escapes, "\ud83d\ude00", which are marked.
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

class PreparedText {
 public:
  // source outlives this.
  explicit PreparedText(std::string_view source);

  const std::string& text() const { return text_; }

  // The value of a scalar of these bytes, for which libyaml returned `value`.
  std::string Restore(std::string_view value, const Extent& extent, bool double_quoted) const;

  // The offset of the first tab of these bytes that became a space.
  std::optional<size_t> LostTab(const Extent& extent) const;

 private:
  void BlankTabs();
  void MarkSurrogates();

  std::string_view source_;
  std::string text_;
  std::vector<std::pair<size_t, std::string>> surrogates_;  // where they are written; the character, in UTF-8
};

// Checks that a text is valid UTF-8 without forbidden characters.

// False and an error G001 at the first byte that is not UTF-8, or at a control character that YAML does not allow.
bool CheckCharacters(Reporter& reporter);

// True if a text without escapes may contain it. Line feeds and tabs are also allowed.
bool IsPrintable(uint32_t code);

}  // namespace opsrun::host
