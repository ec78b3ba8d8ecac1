// host/yaml/read_yaml.h: parses text into a Value, with libyaml (yaml_events.h).
//
// Supports YAML 1.2 scalars, and anchors and aliases within limits. Errors, with their lines, are: duplicate keys,
// unclosed quotes, merge keys, more than 64 levels, more than 100,000 values or 16 MiB of text from aliases, tabs as
// indentation, bytes that are not UTF-8, and several documents.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "host/base/diagnostic.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// Returns the document, or nothing and at least one error (G0xx) in `diagnostics`. After a duplicate key (G103), a
// merge key or a tag, the rest is still read; the first of duplicate keys is kept.
std::optional<Value> ReadYaml(const SourceFile& source, Diagnostics& diagnostics);

}  // namespace opsrun::host
