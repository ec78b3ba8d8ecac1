// absl/strings/strip.h: prefixes and suffixes taken away.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

OPSRUN_ABSL_BEGIN

inline bool ConsumePrefix(string_view* text, string_view prefix) {
  if (!StartsWith(*text, prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}
inline bool ConsumeSuffix(string_view* text, string_view suffix) {
  if (!EndsWith(*text, suffix)) return false;
  text->remove_suffix(suffix.size());
  return true;
}
inline string_view StripPrefix(string_view text, string_view prefix) {
  ConsumePrefix(&text, prefix);
  return text;
}
inline string_view StripSuffix(string_view text, string_view suffix) {
  ConsumeSuffix(&text, suffix);
  return text;
}

OPSRUN_ABSL_END
