// host/show/section_schemas.h: the parts of a graph file that do not depend on ops.
//
// The keys are those of host/graph, which rejects all others; a test compares the two.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/plugin/registry.h"
#include "host/show/schema_types.h"

namespace opsrun::host {

// A map of these keys and those that begin with "x-". It does not restrict values of other kinds.
Json ClosedMap(const Json& properties);

// A text that can name a feed or a node.
Json NameText();

// A map from names of the graph to `value`.
Json NamedMap(const Json& value);

// A text that is "node", "node.output" or "node.output.i". The first: only what a text must look like.
Json ReferenceText();
Json ReferenceSchema(Definitions& definitions);
// One reference, or a list of them, which may be empty unless `some`.
Json ReferencesSchema(bool some, Definitions& definitions);

Json ShapeSchema(Definitions& definitions);
// A map that has a shape, all of whose sizes are known.
Json WholeShape(Definitions& definitions);

Json FeedSchema(Definitions& definitions);
Json OutputsSchema(Definitions& definitions);
Json CheckSchema(Definitions& definitions);
// Offers the plugins of the registry.
Json RequiresSchema(const Registry& registry, Definitions& definitions);

}  // namespace opsrun::host
