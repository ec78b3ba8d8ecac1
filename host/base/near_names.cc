// host/base/near_names.cc: the edit distance, and the sentence made of it.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/near_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/characters.h"

namespace opsrun::host {
namespace {

constexpr size_t kMaxSuggestions = 3;
constexpr size_t kMaxListed = 12;
constexpr size_t kLongestWord = 200;  // no suggestions for longer words: the distance takes quadratic time

// The restricted Damerau-Levenshtein distance: insert, delete, replace, or swap two neighbors.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string WithoutCaseAndUnderscores(std::string_view word) {
  std::string plain;
  for (char c : word) {
    if (c != '_') plain += Lower(c);
  }
  return plain;
}

// "'a'", "'a' or 'b'", "'a', 'b' or 'c'".
std::string Alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += "'" + names[i] + "'";
  }
  return text;
}

std::string FirstFew(const std::vector<std::string>& names) {
  // "and 1 more" would be no shorter than the name.
  const size_t shown = names.size() == kMaxListed + 1 ? names.size() : std::min(names.size(), kMaxListed);
  const std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  return shown == names.size() ? text : fmt::format("{} and {} more", text, names.size() - shown);
}

}  // namespace

std::vector<std::string> NearNames(std::string_view word, const std::vector<std::string>& names) {
  struct Candidate {
    size_t distance;
    std::string name;
  };
  if (word.empty() || word.size() > kLongestWord) return {};
  const size_t limit = std::max<size_t>(1, word.size() / 3);
  const std::string plain = word.size() < 3 ? "" : WithoutCaseAndUnderscores(word);
  std::vector<Candidate> candidates;
  for (const std::string& name : names) {
    if (name.empty() || name.size() > kLongestWord) continue;
    bool same_but_for_style = !plain.empty() && WithoutCaseAndUnderscores(name) == plain;
    size_t difference = name.size() > word.size() ? name.size() - word.size() : word.size() - name.size();
    if (!same_but_for_style && difference > limit) continue;
    size_t distance = same_but_for_style ? 0 : EditDistance(word, name);
    const bool all_differs = distance >= std::max(word.size(), name.size());
    if (distance <= limit && !all_differs) candidates.push_back({distance, name});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
  std::vector<std::string> near;
  for (Candidate& candidate : candidates) {
    if (near.size() == kMaxSuggestions) break;
    if (std::find(near.begin(), near.end(), candidate.name) == near.end()) near.push_back(std::move(candidate.name));
  }
  return near;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& names, std::string_view what) {
  std::vector<std::string> near = NearNames(word, names);
  if (!near.empty()) return "did you mean " + Alternatives(near) + "?";
  if (names.empty()) return "there are no " + std::string(what);
  return std::string(what) + ": " + FirstFew(names);
}

}  // namespace opsrun::host
