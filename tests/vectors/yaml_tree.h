// tests/vectors/yaml_tree.h: a YAML file as plain values.
//
// Reading is done by name and by kind; what is not there, or not of that kind, throws: a case that cannot be read is a
// case that fails.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opsrun::vectors {

struct Tree {
  enum class Kind { kNull, kScalar, kBytes, kList, kMap };  // those of host::Value

  Kind kind = Kind::kNull;
  std::string text;     // kScalar, kBytes
  bool quoted = false;  // of a scalar: it is a string, whatever it looks like
  std::vector<Tree> items;
  std::vector<std::pair<std::string, Tree>> fields;  // in the order written

  const Tree* Find(std::string_view name) const;                // null without such a field
  const Tree& operator[](std::string_view name) const;          // throws without such a field
  std::string Text(std::string_view name) const;                // empty without such a field
  std::vector<std::string> Texts(std::string_view name) const;  // of a list of scalars; empty without such a field

  bool LooksLikeInt() const;
  bool LooksLikeBool() const;
  bool LooksLikeFloat() const;  // also for what looks like an int

  const std::string& AsText() const;
  int64_t AsInt() const;
  uint64_t AsUint() const;
  double AsDouble() const;
  bool AsBool() const;
  const std::vector<Tree>& AsList() const;
};

Tree ReadYamlTree(const std::string& path);

}  // namespace opsrun::vectors
