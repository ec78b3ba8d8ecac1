// absl/strings/match.h: StrContains, StartsWith, EndsWith and what ignores case.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

OPSRUN_ABSL_BEGIN

inline bool StrContains(string_view text, string_view part) {
  return text.find(part) != string_view::npos;
}
inline bool StrContains(string_view text, char part) {
  return text.find(part) != string_view::npos;
}
inline bool StartsWith(string_view text, string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}
inline bool EndsWith(string_view text, string_view suffix) {
  return suffix.size() <= text.size() && text.substr(text.size() - suffix.size()) == suffix;
}

inline bool EqualsIgnoreCase(string_view a, string_view b) {
  return AsciiStrToLower(a) == AsciiStrToLower(b);
}
inline bool StartsWithIgnoreCase(string_view text, string_view prefix) {
  return EqualsIgnoreCase(text.substr(0, prefix.size()), prefix);
}
inline bool EndsWithIgnoreCase(string_view text, string_view suffix) {
  return suffix.size() <= text.size() && EqualsIgnoreCase(text.substr(text.size() - suffix.size()), suffix);
}
inline bool StrContainsIgnoreCase(string_view text, string_view part) {
  return StrContains(AsciiStrToLower(text), AsciiStrToLower(part));
}

OPSRUN_ABSL_END
