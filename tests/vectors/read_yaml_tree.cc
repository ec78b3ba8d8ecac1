// tests/vectors/read_yaml_tree.cc
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "host/graph/read_graph.h"
#include "host/yaml/read_yaml.h"
#include "tests/vectors/yaml_tree.h"

namespace opsrun::vectors {
namespace {

// Kinds are copied by their numbers.
static_assert(static_cast<int>(Tree::Kind::kBytes) == static_cast<int>(host::Value::Kind::kBytes));
static_assert(static_cast<int>(Tree::Kind::kMap) == static_cast<int>(host::Value::Kind::kMap));

Tree Copy(host::Value value) {
  Tree tree{static_cast<Tree::Kind>(value.kind), std::move(value.text), value.quoted, {}, {}};
  for (host::Value& item : value.items) tree.items.push_back(Copy(std::move(item)));
  for (host::Value::Entry& entry : value.entries)
    tree.fields.emplace_back(std::move(entry.key), Copy(std::move(entry.value)));
  return tree;
}

}  // namespace

Tree ReadYamlTree(const std::string& path) {
  const host::Result<std::shared_ptr<const host::SourceFile>> source = host::ReadSource(path);
  if (!source.ok()) throw std::runtime_error(source.status().message());
  host::Diagnostics diagnostics;
  std::optional<host::Value> value = host::ReadYaml(**source, diagnostics);
  if (diagnostics.has_errors()) throw std::runtime_error(path + ": " + diagnostics.all()[0].message);
  return Copy(*std::move(value));
}

}  // namespace opsrun::vectors
