// host/graph/read_nodes.h: "node", "node.output", "node.output.i".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/graph/graph.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

// Checks only the form; whether the node or feed exists is not known here. Nothing and an error G108 for any other
// form. of_lists: "list.i" is allowed too.
std::optional<Reference> ReadReference(const Value& value, Reporter& reporter, bool of_lists = false);

}  // namespace opsrun::host
