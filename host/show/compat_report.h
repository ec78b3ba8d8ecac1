// host/show/compat_report.h: the versions of a plugin, compared op by op, as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/plugin/registry.h"

namespace opsrun::host {

struct CompatReport {
  std::string text;  // an op that differs is a line, each difference one more
  size_t equal = 0;  // ops
  size_t safe = 0;   // differences
  size_t unsafe = 0;
};

// mid: a version between the two, or null. An op that only mid and new have is compared between these.
CompatReport ComparePlugins(const Registry& old_ops, const Registry* mid_ops, const Registry& new_ops);

}  // namespace opsrun::host
