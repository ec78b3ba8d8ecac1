// host/show/graph_schema.h: a JSON Schema (draft 7) of graph files, for completion and checks in editors.
//
// It accepts every graph that opsrun accepts with the same plugins. It rejects what can be detected without following
// references: unknown keys, ops and attrs, values of the wrong kind, too many inputs. Besides the standard keywords it
// uses those of editors with a YAML language server: markdownDescription, enumDescriptions, errorMessage,
// patternErrorMessage, deprecationMessage.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/plugin/plugin.h"

namespace opsrun::host {

// The text of the schema, one line per definition. It depends only on the plugins, not on their location.
std::string GraphSchema(const Registry& registry);

}  // namespace opsrun::host
