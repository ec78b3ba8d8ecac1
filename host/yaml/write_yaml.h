// host/yaml/write_yaml.h: a tree of values as YAML text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/yaml/value.h"

namespace opsrun::host {

// The text that reads as `root`, a map. Its entries and theirs take a line each; what is deeper is in braces and
// brackets if that fits on a line, and so is every list of numbers or texts. Keys and scalars that are `quoted` are
// strings: they stand in quotes where some YAML would read them as something else. Bytes that are not UTF-8 become
// U+FFFD. Places are ignored.
std::string WriteYaml(const Value& root);

}  // namespace opsrun::host
