// host/show/compat_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/compat_text.h"

#include <fmt/format.h>

#include "host/show/display_text.h"

namespace opsrun::host {

std::string CompatText(const std::string& op, const std::vector<spec::OpChange>& changes) {
  if (changes.empty()) return {};
  std::string text = op + "\n";
  for (const spec::OpChange& change : changes) {
    // 26 is the length of the longest rule.
    text += fmt::format("  {:<8}{:<26}  {}\n", change.safe ? "safe" : "unsafe", change.rule, change.message);
  }
  return Printable(text);
}

}  // namespace opsrun::host
