// host/yaml/write_yaml.h: a tree of values as YAML text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/yaml/value.h"

namespace opsrun::host {

// The text that reads as `root`, a map: its entries and theirs a line each, what is deeper in brackets and braces. A
// scalar that is not `quoted` is written as it is, or in quotes where no YAML could read it otherwise; bytes that are
// not UTF-8 become U+FFFD. Places are ignored.
std::string WriteYaml(const Value& root);

}  // namespace opsrun::host
