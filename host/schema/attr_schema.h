// host/schema/attr_schema.h: what may stand for one attr of a node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/schema/definitions.h"
#include "host/spec/op_def.h"

namespace opsrun::host {

// Type, limits, default and documentation of `attr`, which is one of `op`'s.
Json AttrSchema(const spec::OpDef& op, const spec::AttrDef& attr, Definitions& definitions);

}  // namespace opsrun::host
