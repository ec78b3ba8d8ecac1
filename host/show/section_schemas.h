// host/show/section_schemas.h: the parts of the schema of a graph file.
//
// The keys are those that host/graph accepts; a test compares the two.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/plugin/registry.h"
#include "host/show/schema_types.h"

namespace opsrun::host {

// A map of these keys and any that begin with "x-". Does not restrict values that are not maps.
Json ClosedMap(const Json& properties);

// A string that can name a feed or a node.
Json NameText();

// A map from such names to `value`.
Json NamedMap(const Json& value);

// A string "node", "node.output" or "node.output.i". ReferenceText is only the pattern.
Json ReferenceText();
Json ReferenceSchema(Definitions& definitions);
// One reference, or a list of them; if `some`, the list must not be empty.
Json ReferencesSchema(bool some, Definitions& definitions);

Json ShapeSchema(Definitions& definitions);
// A map with a shape whose sizes are all known.
Json WholeShape(Definitions& definitions);

Json FeedSchema(Definitions& definitions);
Json OutputsSchema(Definitions& definitions);
Json CheckSchema(Definitions& definitions);
// Suggests the plugins of the registry.
Json RequiresSchema(const Registry& registry, Definitions& definitions);

// ---- op_schema.cc

// Describes the keys "op", "in", "attrs" and "label" of a node.
Json OpSchema(const RegisteredOp& op, const Registry& registry, Definitions& definitions);

// The op on one or two lines, for a list of ops.
std::string OpLine(const spec::OpDef& op);

}  // namespace opsrun::host
