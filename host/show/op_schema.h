// host/show/op_schema.h: the part of the schema that describes nodes of one op.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/plugin/registry.h"
#include "host/show/schema_types.h"

namespace opsrun::host {

// Describes the keys "op", "in", "attrs" and "label" of a node.
Json OpSchema(const RegisteredOp& op, const Registry& registry, Definitions& definitions);

// The op on one or two lines, for a list of ops.
std::string OpLine(const spec::OpDef& op);

}  // namespace opsrun::host
