// host/graph/read_nodes.h: "node", "node.output", "node.output.i".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/graph/graph.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

// Checks only the form, not whether the node or feed exists. Returns nothing and an error G108 for other forms.
// of_lists: also accepts "list.i".
std::optional<Reference> ReadReference(const Value& value, Reporter& reporter, bool of_lists = false);

}  // namespace opsrun::host
