// host/yaml/tree_reader.h: the events of a text as a Value, within limits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/yaml/reporter.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// Requires: CheckCharacters has passed the text. The document, or nothing and an error.
std::optional<Value> ReadTree(Reporter& reporter);

}  // namespace opsrun::host
