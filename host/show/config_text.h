// host/show/config_text.h: a graph file in which everything that the graph leaves open is filled in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/plan/plan.h"
#include "host/plan/resolution.h"

namespace opsrun::host {

// YAML that opsrun reads: every feed with its type and shape, every node with its inputs by name and all attrs, every
// output by name. Information without a key in graph files is stored under x- keys, which are ignored: x-plugin,
// x-device, x-kernel, x-outputs. Paths stay relative to the directory of the graph.
std::string ConfigText(const Plan& plan, const Resolution& resolution);

}  // namespace opsrun::host
