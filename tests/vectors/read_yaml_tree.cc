// tests/vectors/read_yaml_tree.cc: the tests' door to yaml-cpp.
// SPDX-License-Identifier: Apache-2.0
#include <yaml-cpp/yaml.h>

#include "tests/vectors/yaml_tree.h"

namespace opsrun::vectors {
namespace {

constexpr const char* kQuoted = "!";  // the tag that yaml-cpp gives to what stands in quotes

Tree Copy(const YAML::Node& node) {
  Tree tree;
  if (node.IsScalar()) {
    tree.kind = Tree::Kind::kScalar;
    tree.text = node.Scalar();
    tree.quoted = node.Tag() == kQuoted;
  } else if (node.IsSequence()) {
    tree.kind = Tree::Kind::kList;
    for (const YAML::Node& item : node) tree.items.push_back(Copy(item));
  } else if (node.IsMap()) {
    tree.kind = Tree::Kind::kMap;
    for (const auto& field : node) tree.fields.emplace_back(field.first.Scalar(), Copy(field.second));
  }
  return tree;
}

}  // namespace

Tree ReadYamlTree(const std::string& path) {
  return Copy(YAML::LoadFile(path));
}

}  // namespace opsrun::vectors
