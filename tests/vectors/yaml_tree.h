// tests/vectors/yaml_tree.h: a YAML file as values.
//
// Reading is done by name and by kind; what is not there, or not of that kind, throws: a case that cannot be read is a
// case that fails.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/yaml/value.h"

namespace opsrun::vectors {

using Tree = host::Value;

Tree ReadYamlTree(const std::string& path);

// Fields of a map. Without such a field, At throws, and the others are empty.
const Tree& At(const Tree& map, std::string_view name);
std::string TextOf(const Tree& map, std::string_view name);
std::vector<std::string> TextsOf(const Tree& map, std::string_view name);

const std::string& TextOf(const Tree& scalar);
int64_t IntOf(const Tree& scalar);
uint64_t UintOf(const Tree& scalar);
double FloatOf(const Tree& scalar);
bool BoolOf(const Tree& scalar);
const std::vector<Tree>& ListOf(const Tree& list);

}  // namespace opsrun::vectors
