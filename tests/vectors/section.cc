// tests/vectors/section.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/section.h"

#include <algorithm>
#include <stdexcept>

#include "host/plugin/load.h"
#include "host/tensor/tensor.h"
#include "tests/host/run/one_host.h"

namespace opsrun::vectors {

namespace spec = host::spec;

void CheckFields(const Tree& map, std::initializer_list<std::string_view> known) {
  if (map.kind != Tree::Kind::kMap) throw std::runtime_error("a map is expected");
  for (const auto& [key, span, value] : map.entries) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw std::runtime_error("the field '" + key + "' is not understood");
    }
  }
}

spec::OpStrings OpStringsOf(const Tree& op) {
  CheckFields(op, {"name", "attrs", "inputs", "outputs"});
  spec::OpStrings strings;
  strings.name = op.Find("name") == nullptr ? "Op" : TextOf(op, "name");
  strings.attrs = TextsOf(op, "attrs");
  strings.inputs = TextsOf(op, "inputs");
  strings.outputs = TextsOf(op, "outputs");
  return strings;
}

spec::OpDef OpOf(const Tree& op) {
  spec::OpDef def;
  const std::vector<spec::SpecError> errors = spec::ParseOp(OpStringsOf(op), &def);
  if (!errors.empty()) throw std::runtime_error(spec::SpecErrorsText(def.name, errors));
  return def;
}

host::DType TypeOf(const std::string& word) {
  const std::optional<host::DType> dtype = spec::TypeFromWord(word);
  if (!dtype) throw std::runtime_error("'" + word + "' is no data type");
  return *dtype;
}

std::string ExpectedFailure(const Tree& fails) {
  if (fails.kind != Tree::Kind::kMap) throw std::runtime_error("a map is expected");
  std::string text = "fails";
  for (const auto& [name, span, value] : fails.entries) text += " " + name + ": " + TextOf(value);
  return text;
}

std::string FoundFailure(const Tree* fails, const std::map<std::string, std::string>& found) {
  std::string text = "fails";
  if (fails == nullptr) {
    for (const auto& [name, value] : found) text += " " + name + ": " + value;
    return text;
  }
  for (const auto& [name, span, expected] : fails->entries) {
    const auto value = found.find(name);
    if (value == found.end()) throw std::runtime_error("the field '" + name + "' is not understood");
    text += " " + name + ": " + value->second;
  }
  return text;
}

std::string KindOf(Kinds kinds, const std::string& message) {
  for (const auto& [part, kind] : kinds) {
    if (message.find(part) != std::string::npos) return std::string(kind);
  }
  return message;
}

const host::LoadResult& PadPlugin() {
  static const host::LoadResult loaded = host::LoadFile(OPSRUN_PAD_PLUGIN, host::HostTable());
  if (!loaded.refused.empty()) throw std::runtime_error(loaded.refused[0].refusal.reason);
  return loaded;
}

}  // namespace opsrun::vectors
