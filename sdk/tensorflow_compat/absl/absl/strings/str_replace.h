// absl/strings/str_replace.h: absl::StrReplaceAll.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

OPSRUN_ABSL_BEGIN

// At each place the longest of the words that match is replaced. The number of replacements, for the form with a
// pointer.
template <typename Pairs>
int StrReplaceAll(const Pairs& pairs, std::string* text) {
  std::string out;
  int count = 0;
  for (size_t at = 0; at < text->size();) {
    string_view found, with;
    for (const auto& pair : pairs) {
      const string_view word(pair.first);
      if (word.size() > found.size() && text->compare(at, word.size(), word) == 0)
        found = word, with = string_view(pair.second);
    }
    count += !found.empty();
    found.empty() ? out.append(1, (*text)[at]) : out.append(with);
    at += found.empty() ? 1 : found.size();
  }
  *text = out;
  return count;
}
namespace internal {
typedef std::initializer_list<std::pair<string_view, string_view>> ReplacementList;
}
inline int StrReplaceAll(internal::ReplacementList pairs, std::string* text) {
  return StrReplaceAll<internal::ReplacementList>(pairs, text);
}
template <typename Pairs>
std::string StrReplaceAll(string_view text, const Pairs& pairs) {
  std::string out(text);
  StrReplaceAll(pairs, &out);
  return out;
}
inline std::string StrReplaceAll(string_view text, internal::ReplacementList pairs) {
  return StrReplaceAll<internal::ReplacementList>(text, pairs);
}

OPSRUN_ABSL_END
