// host/base/near_names.h: suggestions for misspelled names ("did you mean").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opsrun::host {

// Up to three of `names` that `word` may be a misspelling of, most similar first: the Damerau-Levenshtein distance is
// at most max(1, length / 3), or the names differ only in case and underscores. Words with fewer than three letters
// require a distance of 1, and names without a common letter are never suggested.
std::vector<std::string> NearNames(std::string_view word, const std::vector<std::string>& names);

// "did you mean 'a'?" or "did you mean 'a' or 'b'?" if there are similar names. Otherwise "<what>: a, b, c" with the
// allowed names (the first twelve, then how many more), or "there are no <what>" if there are none.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& names, std::string_view what);

}  // namespace opsrun::host
