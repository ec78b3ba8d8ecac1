// host/graph/read_reference.cc: "node", "node.output", "node.output.i".
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/read_reference.h"

#include <fmt/core.h>

#include <charconv>
#include <string>
#include <vector>

#include "host/graph/fields.h"
#include "host/yaml/scalar.h"

namespace opsrun::host {
namespace {

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// Digits alone: neither a sign nor more than 32 bits.
std::optional<int64_t> ParseIndex(const std::string& text) {
  uint32_t index = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, index);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return index;
}

std::optional<Reference> Refuse(const Value& value, const std::string& found, const std::string& help,
                                Reporter& reporter) {
  reporter.Refuse("G108", value.span, fmt::format("expected a reference to a feed or a node, found {}", found), help);
  return std::nullopt;
}

}  // namespace

std::string ReferenceText(const Reference& reference) {
  std::string text = reference.name;
  if (!reference.output.empty()) text += "." + reference.output;
  if (reference.index >= 0) text += fmt::format(".{}", reference.index);
  return text;
}

Reference ParseReference(const std::string& text, const Span& span) {
  const std::vector<std::string> parts = Split(text);
  Reference reference{parts[0], {}, -1, span};
  if (parts.size() > 1) reference.output = parts[1];
  if (parts.size() > 2) reference.index = ParseIndex(parts[2]).value_or(-1);
  return reference;
}

std::optional<Reference> ReadReference(const Value& value, Reporter& reporter, bool of_lists) {
  const std::string forms = "write 'NAME', 'NODE.OUTPUT' or 'NODE.OUTPUT.INDEX'";
  const std::optional<std::string> text = AsString(value);
  if (!text) return Refuse(value, FoundWithKind(value), forms, reporter);
  const std::vector<std::string> parts = Split(*text);
  Reference reference{parts[0], {}, -1, value.span};
  if (!IsName(parts[0]) || parts.size() > 3) return Refuse(value, Quote(*text), forms, reporter);
  if (parts.size() == 1) return reference;
  if (const std::optional<int64_t> index = ParseIndex(parts[1]); parts.size() == 2 && index) {
    reference.index = *index;
    if (of_lists) return reference;
    return Refuse(value, Quote(*text), fmt::format("name the output too: '{}.OUTPUT.{}'", parts[0], parts[1]),
                  reporter);
  }
  if (!IsName(parts[1])) return Refuse(value, Quote(*text), forms, reporter);
  reference.output = parts[1];
  if (parts.size() == 2) return reference;
  const std::optional<int64_t> index = ParseIndex(parts[2]);
  if (!index) return Refuse(value, Quote(*text), forms, reporter);
  reference.index = *index;
  return reference;
}

}  // namespace opsrun::host
