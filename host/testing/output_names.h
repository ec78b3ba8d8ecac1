// host/testing/output_names.h: which tensors the nodes of a test give.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/testing/graph_parts.h"
#include "host/testing/plugin_set.h"

namespace opsrun::host {

// One tensor: of an output, and if that is a list, its number there.
struct OutputName {
  std::string output;
  int64_t index = -1;
  DType dtype = DType::kInvalid;
};

// For each node its tensors, lists counted through; none for a node with a mistake, which planning tells.
std::vector<std::vector<OutputName>> NameOutputs(const PluginSet& plugins, const std::vector<test::NodePart>& nodes);

}  // namespace opsrun::host
