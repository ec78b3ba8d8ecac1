// host/yaml/duplicate_keys.cc: one key, one value.
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/duplicate_keys.h"

#include <fmt/core.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace opsrun::host {
namespace {

std::string Sentence(std::string_view section, const std::string& key) {
  const std::string name = Quote(key);
  if (section == "nodes") return fmt::format("node {} is defined twice", name);
  if (section == "feeds") return fmt::format("feed {} is defined twice", name);
  if (section == "outputs") return fmt::format("output {} is defined twice", name);
  return fmt::format("the key {} is given twice", name);
}

void Report(const Value::Entry& first, const Value::Entry& second, std::string_view section, Reporter& reporter) {
  Diagnostic& error = reporter.Error("G103", second.key_span, Sentence(section, second.key));
  error.label = "second definition; the first is used for the checks below";
  error.also.push_back({first.key_span, "first definition here"});
  error.help.push_back("remove or rename one of them");
}

}  // namespace

void DropDuplicateKeys(Value& map, std::string_view section, Reporter& reporter) {
  std::unordered_map<std::string_view, size_t> first;
  first.reserve(map.entries.size());
  std::vector<size_t> kept;
  for (size_t i = 0; i < map.entries.size(); ++i) {
    const auto [seen, is_new] = first.emplace(map.entries[i].key, i);
    if (is_new) {
      kept.push_back(i);
    } else {
      Report(map.entries[seen->second], map.entries[i], section, reporter);
    }
  }
  if (kept.size() == map.entries.size()) return;
  std::vector<Value::Entry> entries;
  for (const size_t i : kept) entries.push_back(std::move(map.entries[i]));
  map.entries = std::move(entries);
}

}  // namespace opsrun::host
