// host/show/config_text.h: a graph with everything filled in that it leaves open, as a graph file again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/plan/plan.h"
#include "host/plan/resolution.h"

namespace opsrun::host {

// YAML that opsrun reads: every feed with its type and shape, every node with its inputs by name and all attrs, every
// output by name. What a graph file has no key for stands under x- keys, which are ignored: x-plugin, x-device,
// x-kernel, x-outputs. Paths stay relative to the graph's own folder.
std::string ConfigText(const Plan& plan, const Resolution& resolution);

}  // namespace opsrun::host
