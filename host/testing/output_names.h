// host/testing/output_names.h: the output tensors of the nodes of a test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/testing/graph_parts.h"
#include "host/testing/plugin_set.h"

namespace opsrun::host {

// One tensor: the output and, if that is a list, the index in it.
struct OutputName {
  std::string output;
  int64_t index = -1;
  DType dtype = DType::kInvalid;
};

// The tensors of each node, with lists flattened; none for a node with an error, which planning reports.
std::vector<std::vector<OutputName>> NameOutputs(const PluginSet& plugins, const std::vector<test::NodePart>& nodes);

}  // namespace opsrun::host
