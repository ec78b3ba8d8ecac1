// host/yaml/duplicate_keys.cc: one key, one value.
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/duplicate_keys.h"

#include <fmt/core.h>

#include <string>
#include <unordered_map>
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

}  // namespace

void DropDuplicateKeys(Value& map, std::string_view section, Reporter& reporter) {
  std::unordered_map<std::string, Span> first;
  std::erase_if(map.entries, [&](const Value::Entry& entry) {
    const auto [seen, is_new] = first.emplace(entry.key, entry.key_span);
    if (is_new) return false;
    Diagnostic& error = reporter.Error("G103", entry.key_span, Sentence(section, entry.key));
    error.label = "second definition; the first is used for the checks below";
    error.also.push_back({seen->second, "first definition here"});
    error.help.push_back("remove or rename one of them");
    return true;
  });
}

}  // namespace opsrun::host
