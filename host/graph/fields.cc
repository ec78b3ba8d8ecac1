// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/graph/read_graph.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

bool IsOneOf(const std::string& key, const std::vector<std::string>& keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool IsExtension(const std::string& key) {
  return key.rfind("x-", 0) == 0;
}

bool BeginsName(char c) {
  return IsLetter(c) || c == '_';
}

void RefuseLater(const Value::Entry& entry, const Fields& fields, Reporter& reporter) {
  reporter.Refuse("G104", entry.key_span,
                  fmt::format("'{}' in {} is not supported by this version of opsrun", entry.key, fields.owner),
                  "leave it out");
}

void RefuseUnknown(const Value::Entry& entry, const Fields& fields, Reporter& reporter) {
  const bool near = !NearNames(entry.key, fields.allowed).empty();
  const std::string takes = fmt::format("{} takes", fields.owner);
  Diagnostic& error =
      reporter.Error("G102", entry.key_span, fmt::format("unknown key {} in {}", Quote(entry.key), fields.owner));
  SuggestName(error, entry.key, fields.allowed, takes);
  if (near) error.notes.push_back(fmt::format("{} {}, x-*", takes, fmt::join(fields.allowed, ", ")));
}

bool CheckKey(const Value::Entry& entry, const Fields& fields, Reporter& reporter) {
  if (IsOneOf(entry.key, fields.allowed) || IsExtension(entry.key)) return true;
  IsOneOf(entry.key, fields.later) ? RefuseLater(entry, fields, reporter) : RefuseUnknown(entry, fields, reporter);
  return false;
}

const char* KindName(Value::Kind kind) {
  return kind == Value::Kind::kMap ? "a map" : kind == Value::Kind::kList ? "a list" : "a single value";
}

}  // namespace

void CheckKeys(const Value& map, const Fields& fields, Reporter& reporter) {
  for (const Value::Entry& entry : map.entries) CheckKey(entry, fields, reporter);
}

void CorrectKeys(Value& map, const Fields& fields, Reporter& reporter) {
  for (Value::Entry& entry : map.entries) {
    if (CheckKey(entry, fields, reporter) || IsOneOf(entry.key, fields.later)) continue;
    const std::vector<std::string> near = NearNames(entry.key, fields.allowed);
    const auto is_missing = [&](const std::string& name) { return map.Find(name) == nullptr; };
    const auto meant = std::find_if(near.begin(), near.end(), is_missing);
    if (meant != near.end()) {
      entry.key = *meant;
    } else if (NearNames(entry.key, fields.later).empty()) {
      map.incomplete = true;
    }
  }
}

bool CheckKind(const Value& value, Value::Kind kind, std::string_view what, std::string_view help, Reporter& reporter) {
  return value.kind == kind ||
         reporter.Refuse("G105", value.span,
                         fmt::format("{} must be {}, found {}", what, KindName(kind), FoundWithKind(value)),
                         std::string(help));
}

std::optional<Located<std::string>> ReadText(const Value& value, std::string_view what, std::string_view help,
                                             Reporter& reporter) {
  const std::string* const text = FindText(value);
  if (text != nullptr && !text->empty()) return Located<std::string>{*text, value.span};
  const std::string found = text != nullptr ? "an empty string" : FoundWithKind(value);
  return reporter.Refuse("G105", value.span, fmt::format("{} must be a string, found {}", what, found),
                         std::string(help));
}

bool TakeText(const Value& map, std::string_view key, std::string_view help, std::optional<Located<std::string>>& to,
              Reporter& reporter) {
  const Value* const value = map.Find(key);
  if (value != nullptr) to = ReadText(*value, fmt::format("'{}'", key), help, reporter);
  return value == nullptr || to;
}

bool TakeFlag(const Value& map, const char* key, bool& to, Reporter& reporter) {
  const Value* const value = map.Find(key);
  return value == nullptr || Take(AsBool(*value), to) ||
         reporter.Refuse("G105", value->span,
                         fmt::format("'{}' must be true or false, found {}", key, KindText(*value)),
                         "write true or false, without quotes");
}

std::optional<Located<std::string>> ReadArrayKey(const Value& map, Located<std::string> otherwise, Reporter& reporter) {
  const Value* const key = map.Find("key");
  if (key == nullptr) return otherwise;
  if (map.Find("npz") != nullptr) return ReadText(*key, "'key'", "put the name of the array in quotes", reporter);
  return reporter.Refuse("G106", key->span, "'key' names an array in an .npz file, but there is no 'npz'",
                         "add 'npz: FILE.npz', or leave 'key' out");
}

bool IsName(std::string_view text) {
  const auto inner = [](char c) { return BeginsName(c) || IsDigit(c) || c == '-'; };
  return !text.empty() && BeginsName(text[0]) && std::all_of(text.begin(), text.end(), inner);
}

bool CheckName(const Value::Entry& entry, const std::string& what, Reporter& reporter) {
  return IsName(entry.key) ||
         reporter.Refuse("G107", entry.key_span, fmt::format("{} is not a valid name for {}", Quote(entry.key), what),
                         "a name starts with a letter or '_', followed by letters, digits, '_' and '-'");
}

}  // namespace opsrun::host
