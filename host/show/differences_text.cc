// host/show/differences_text.cc: differences between versions of an op, or of what a graph is made of.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/display_text.h"
#include "host/show/op_text.h"

namespace opsrun::host {

std::string DifferencesText(const std::string& about, const std::vector<spec::OpChange>& changes) {
  if (changes.empty()) return {};
  std::string text = about + "\n";
  for (const spec::OpChange& change : changes) {
    // The longest rule has 26 characters.
    text += fmt::format("  {:<8}{:<26}  {}\n", change.safe ? "safe" : "unsafe", change.rule, change.message);
  }
  return Printable(text);
}

}  // namespace opsrun::host
