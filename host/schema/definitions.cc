// host/schema/definitions.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/schema/definitions.h"

#include <string_view>
#include <utility>

namespace opsrun::host {
namespace {

std::string Plain(const std::string& name) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  std::string plain = name;
  for (char& c : plain) {
    if (kPlain.find(c) == std::string_view::npos) c = '_';
  }
  return plain;
}

// What a pattern takes for more than itself. To escape anything else is an error in some validators.
std::string Escaped(const std::string& text) {
  constexpr std::string_view kSpecial = "^$\\.*+?()[]{}|/";
  std::string escaped;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

Json Definitions::Add(const std::string& name, const Json& schema) {
  const auto [entry, is_new] = keys_.try_emplace(name, Plain(name));
  if (is_new) {
    std::string& key = entry->second;
    for (int n = 2; all_.contains(key); ++n) key = Plain(name) + "_" + std::to_string(n);
    all_[key] = schema;
  }
  return {{"$ref", "#/definitions/" + entry->second}};
}

Json Described(std::string description, Json schema) {
  Json described = {{"description", std::move(description)}};
  described.update(schema);
  return described;
}

std::string PatternOf(const std::vector<std::string>& texts) {
  std::string pattern;
  for (const std::string& text : texts) pattern += (pattern.empty() ? "^(" : "|") + Escaped(text);
  return pattern + ")$";
}

}  // namespace opsrun::host
