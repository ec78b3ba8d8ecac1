// host/base/near_names.h: "did you mean".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opsrun::host {

// Up to three of `names` that someone may have meant by `word`, nearest first: Damerau-Levenshtein distance at most
// max(1, length / 3), or equal but for case and underscores. Nothing for words under three letters unless the distance
// is 1, and nothing that has no letter in common.
std::vector<std::string> NearNames(std::string_view word, const std::vector<std::string>& names);

// "did you mean 'a'?" or "did you mean 'a' or 'b'?" if there are near names, otherwise "<what>: a, b, c" with the names
// that are allowed (the first twelve, then how many more), or "there are no <what>" if there are none.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& names, std::string_view what);

}  // namespace opsrun::host
