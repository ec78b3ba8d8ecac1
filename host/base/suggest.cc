// host/base/suggest.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/suggest.h"

#include "host/base/near_names.h"

namespace opsrun::host {

void SuggestName(Diagnostic& d, std::string_view word, const std::vector<std::string>& names, std::string_view what,
                 std::string_view before) {
  d.help.push_back(DidYouMean(word, names, what));
  const std::vector<std::string> near = NearNames(word, names);
  if (!near.empty()) d.suggestion = std::string(before) + near.front();
}

}  // namespace opsrun::host
