// tests/vectors/yaml_tree.cc: the kinds that YAML's plain words have.
// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/yaml_tree.h"

#include <charconv>
#include <limits>
#include <stdexcept>

#include "host/graph/read_graph.h"
#include "host/yaml/read_yaml.h"

namespace opsrun::vectors {

namespace {

template <typename T>
bool Read(std::string_view text, T* value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

// from_chars knows "inf" and "nan", which are words in YAML, and not ".inf" and ".nan".
bool ReadFloat(const std::string& text, double* value) {
  const bool negative = text.starts_with('-');
  const std::string_view word = std::string_view(text).substr(negative || text.starts_with('+') ? 1 : 0);
  if (word == ".inf" || word == ".nan") {
    using Limits = std::numeric_limits<double>;
    *value = word == ".nan" ? Limits::quiet_NaN() : negative ? -Limits::infinity() : Limits::infinity();
    return true;
  }
  return !word.empty() && word.find_first_not_of("0123456789.eE+-") == std::string_view::npos && Read(text, value);
}

template <typename T>
T Must(bool readable, T value, const Tree& tree, const char* what) {
  if (!readable) throw std::runtime_error("'" + tree.text + "' is no " + what);
  return value;
}

}  // namespace

const Tree* Tree::Find(std::string_view name) const {
  for (const auto& [key, value] : fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

const Tree& Tree::operator[](std::string_view name) const {
  if (const Tree* found = Find(name)) return *found;
  throw std::runtime_error("there is no field '" + std::string(name) + "'");
}

std::string Tree::Text(std::string_view name) const {
  const Tree* found = Find(name);
  return found == nullptr ? std::string() : found->AsText();
}

std::vector<std::string> Tree::Texts(std::string_view name) const {
  std::vector<std::string> texts;
  const Tree* found = Find(name);
  if (found == nullptr) return texts;
  for (const Tree& item : found->AsList()) texts.push_back(item.AsText());
  return texts;
}

bool Tree::LooksLikeInt() const {
  int64_t value = 0;
  return kind == Kind::kScalar && !quoted && Read(text, &value);
}

bool Tree::LooksLikeBool() const {
  return kind == Kind::kScalar && !quoted && (text == "true" || text == "false");
}

bool Tree::LooksLikeFloat() const {
  double value = 0;
  return kind == Kind::kScalar && !quoted && ReadFloat(text, &value);
}

const std::string& Tree::AsText() const {
  if (kind != Kind::kScalar) throw std::runtime_error("a text is expected");
  return text;
}

int64_t Tree::AsInt() const {
  int64_t value = 0;
  const bool readable = Read(AsText(), &value);
  return Must(readable, value, *this, "int64");
}

uint64_t Tree::AsUint() const {
  uint64_t value = 0;
  const bool readable = Read(AsText(), &value);
  return Must(readable, value, *this, "uint64");
}

double Tree::AsDouble() const {
  double value = 0;
  const bool readable = ReadFloat(AsText(), &value);
  return Must(readable, value, *this, "float");
}

bool Tree::AsBool() const {
  return Must(LooksLikeBool(), text == "true", *this, "bool");
}

const std::vector<Tree>& Tree::AsList() const {
  if (kind != Kind::kList) throw std::runtime_error("a list is expected");
  return items;
}

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
