// host/wrap/wrapped_plugin.cc: see wrapped_plugin.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/wrap/wrapped_plugin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "host/wrap/doc_words.h"

namespace opsrun::host {

WrappedPlugin OpsToWrap(const Plugin& plugin) {
  WrappedPlugin wrapped{plugin.name, plugin.version, {}};
  for (const RegisteredOp& op : plugin.ops) {
    if (!op.def.name.starts_with('_')) wrapped.ops.push_back(&op.def);
  }
  std::sort(wrapped.ops.begin(), wrapped.ops.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  return wrapped;
}

std::string MadeBy(const std::vector<WrappedPlugin>& plugins) {
  std::string from;
  for (const WrappedPlugin& plugin : plugins) {
    from += fmt::format("{} plugin '{}'", from.empty() ? "" : ",", plugin.name);
    if (!plugin.version.empty()) from += " " + plugin.version;
  }
  // A version may have lines, of which the second would be code.
  return Fill(fmt::format("opsrun wrap of opsrun {}, from{}", OPSRUN_VERSION, from), {SIZE_MAX, 0, 0});
}

}  // namespace opsrun::host
