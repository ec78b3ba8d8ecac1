// host/show/graph_schema.h: a JSON Schema (draft 7) of graph files, for completion and checks in editors.
//
// It takes every graph that opsrun takes with the same plugins. It refuses what can be seen without following
// references: unknown keys, ops and attrs, values of a wrong kind, too many inputs. Beside the keywords of the standard
// there are those that editors with a YAML language server know: markdownDescription, enumDescriptions, errorMessage,
// patternErrorMessage, deprecationMessage.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/plugin/registry.h"

namespace opsrun::host {

// The text of the schema, one line per definition. It depends only on the plugins, not on their location.
std::string GraphSchema(const Registry& registry);

}  // namespace opsrun::host
