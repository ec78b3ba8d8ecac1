// tests/vectors/yaml_tree.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/yaml_tree.h"

#include <optional>
#include <stdexcept>

#include "host/graph/read_graph.h"
#include "host/yaml/value.h"

namespace opsrun::vectors {

namespace {

template <typename T>
T Must(std::optional<T> value, const Tree& tree, const char* what) {
  if (!value) throw std::runtime_error("'" + tree.text + "' is no " + what);
  return *value;
}

}  // namespace

Tree ReadYamlTree(const std::string& path) {
  const host::Result<std::shared_ptr<const host::SourceFile>> source = host::ReadSource(path);
  if (!source.ok()) throw std::runtime_error(source.status().message());
  host::Diagnostics diagnostics;
  std::optional<Tree> value = host::ReadYaml(**source, diagnostics);
  if (diagnostics.has_errors()) throw std::runtime_error(path + ": " + diagnostics.all()[0].message);
  return *std::move(value);
}

const Tree& At(const Tree& map, std::string_view name) {
  if (const Tree* found = map.Find(name)) return *found;
  throw std::runtime_error("there is no field '" + std::string(name) + "'");
}

std::string TextOf(const Tree& map, std::string_view name) {
  const Tree* found = map.Find(name);
  return found == nullptr ? std::string() : TextOf(*found);
}

std::vector<std::string> TextsOf(const Tree& map, std::string_view name) {
  std::vector<std::string> texts;
  const Tree* found = map.Find(name);
  if (found == nullptr) return texts;
  for (const Tree& item : ListOf(*found)) texts.push_back(TextOf(item));
  return texts;
}

const std::string& TextOf(const Tree& scalar) {
  if (scalar.kind != Tree::Kind::kScalar) throw std::runtime_error("a text is expected");
  return scalar.text;
}

int64_t IntOf(const Tree& scalar) {
  return Must(host::AsInt(scalar), scalar, "int64");
}
uint64_t UintOf(const Tree& scalar) {
  return Must(host::AsUint(scalar), scalar, "uint64");
}
double FloatOf(const Tree& scalar) {
  return Must(host::AsFloat(scalar), scalar, "float");
}
bool BoolOf(const Tree& scalar) {
  return Must(host::AsBool(scalar), scalar, "bool");
}

const std::vector<Tree>& ListOf(const Tree& list) {
  if (list.kind != Tree::Kind::kList) throw std::runtime_error("a list is expected");
  return list.items;
}

}  // namespace opsrun::vectors
