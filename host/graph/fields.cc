// host/graph/fields.cc: maps with fixed keys.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/characters.h"
#include "host/base/diagnostic.h"
#include "host/base/near_names.h"
#include "host/yaml/scalar.h"

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
  Diagnostic& error =
      reporter.Error("G104", entry.key_span,
                     fmt::format("'{}' in {} is not supported by this version of opsrun", entry.key, fields.owner));
  error.help.push_back("leave it out");
}

void RefuseUnknown(const Value::Entry& entry, const Fields& fields, Reporter& reporter) {
  std::vector<std::string> known = fields.allowed;
  known.insert(known.end(), fields.later.begin(), fields.later.end());
  const bool near = !NearNames(entry.key, known).empty();
  const std::string takes = fmt::format("{} takes", fields.owner);
  Diagnostic& error =
      reporter.Error("G102", entry.key_span, fmt::format("unknown key {} in {}", Quote(entry.key), fields.owner));
  SuggestName(error, entry.key, near ? known : fields.allowed, takes);
  if (near) error.notes.push_back(fmt::format("{} {}, x-*", takes, fmt::join(fields.allowed, ", ")));
}

const char* KindName(Value::Kind kind) {
  return kind == Value::Kind::kMap ? "a map" : kind == Value::Kind::kList ? "a list" : "a single value";
}

std::string Found(const Value& value) {
  return value.kind == Value::Kind::kScalar ? fmt::format("{} {}", KindText(value), Quote(value.text))
                                            : KindText(value);
}

}  // namespace

void CheckKeys(const Value& map, const Fields& fields, Reporter& reporter) {
  for (const Value::Entry& entry : map.entries) {
    if (IsOneOf(entry.key, fields.allowed) || IsExtension(entry.key)) continue;
    IsOneOf(entry.key, fields.later) ? RefuseLater(entry, fields, reporter) : RefuseUnknown(entry, fields, reporter);
  }
}

bool CheckKind(const Value& value, Value::Kind kind, const std::string& what, const std::string& help,
               Reporter& reporter) {
  if (value.kind == kind) return true;
  Diagnostic& error =
      reporter.Error("G105", value.span, fmt::format("{} must be {}, found {}", what, KindName(kind), Found(value)));
  error.help.push_back(help);
  return false;
}

std::optional<Located<std::string>> ReadText(const Value& value, const std::string& what, const std::string& help,
                                             Reporter& reporter) {
  const std::optional<std::string> text = AsString(value);
  if (text && !text->empty()) return Located<std::string>{*text, value.span};
  const std::string found = text ? "an empty string" : Found(value);
  reporter.Error("G105", value.span, fmt::format("{} must be a string, found {}", what, found)).help.push_back(help);
  return std::nullopt;
}

bool IsName(std::string_view text) {
  const auto inner = [](char c) { return BeginsName(c) || IsDigit(c) || c == '-'; };
  return !text.empty() && BeginsName(text[0]) && std::all_of(text.begin(), text.end(), inner);
}

bool CheckName(const Value::Entry& entry, const std::string& what, Reporter& reporter) {
  if (IsName(entry.key)) return true;
  Diagnostic& error = reporter.Error("G107", entry.key_span, fmt::format("{} cannot name {}", Quote(entry.key), what));
  error.help.push_back("a name begins with a letter or '_' and goes on with letters, digits, '_' and '-'");
  return false;
}

}  // namespace opsrun::host
