// host/yaml/write_yaml.h: writes a tree of values as YAML text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/yaml/value.h"

namespace opsrun::host {

// The text for `root`, a map, which parses to the same value. Its entries and theirs take one line each; deeper values
// are in braces and brackets if they fit on a line, and so are all lists of numbers or texts. Keys and scalars that are
// `quoted` are strings: they are quoted if some YAML version would read them as something else. Bytes become
// !!binary; what is not UTF-8 in a key becomes U+FFFD. Places are ignored.
std::string WriteYaml(const Value& root);

}  // namespace opsrun::host
