// host/schema/node_schema.h: a node, whatever its op is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/plugin/registry.h"
#include "host/schema/definitions.h"

namespace opsrun::host {

// Each op of the registry by the names that a graph may call it.
Json NodeSchema(const Registry& registry, Definitions& definitions);

}  // namespace opsrun::host
