// host/show/op_schema.h: what a node with a certain op must look like.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/plugin/registry.h"
#include "host/show/schema_types.h"

namespace opsrun::host {

// Of the keys "op", "in", "attrs" and "label" of a node.
Json OpSchema(const RegisteredOp& op, const Registry& registry, Definitions& definitions);

// The op in a line or two, for a list of ops.
std::string OpLine(const spec::OpDef& op);

}  // namespace opsrun::host
