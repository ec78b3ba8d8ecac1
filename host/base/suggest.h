// host/base/suggest.h: "did you mean" as a part of a diagnostic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"

namespace opsrun::host {

// Adds DidYouMean as a help and, if one of `names` is near, the nearest as the suggestion. before: what stands before
// the word in the text at d.where, such as "node." of an output.
void SuggestName(Diagnostic& d, std::string_view word, const std::vector<std::string>& names, std::string_view what,
                 std::string_view before = "");

}  // namespace opsrun::host
