// host/yaml/write_yaml.h: writes a tree of values as YAML text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/yaml/value.h"

namespace opsrun::host {

// The text for `root`, a map; parsing it gives an equal value. Its entries and theirs are written on separate lines.
// Deeper values are written in braces and brackets if they fit on a line; so are all lists of numbers or strings. Keys
// and scalars that are `quoted` are strings, and get quotes if some version of YAML would otherwise read them as
// something else. Bytes become !!binary; bytes of a key that are not UTF-8 become U+FFFD. Ignores locations.
std::string WriteYaml(const Value& root);

}  // namespace opsrun::host
