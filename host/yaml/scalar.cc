// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/scalar.h"

#include <limits>

#include "host/base/text.h"

namespace opsrun::host {
namespace {

bool IsPlain(const Value& value) {
  return value.kind == Value::Kind::kScalar && !value.quoted;
}

// Parses an integer without its sign. signed_text: it had one, which only decimal integers may have.
std::optional<uint64_t> ParseMagnitude(std::string_view text, bool signed_text) {
  const std::string_view prefix = text.substr(0, 2);
  if (prefix == "0x") return signed_text ? std::nullopt : ParseInteger<uint64_t>(text.substr(2), 16);
  if (prefix == "0o") return signed_text ? std::nullopt : ParseInteger<uint64_t>(text.substr(2), 8);
  return ParseInteger<uint64_t>(text);
}

}  // namespace

std::optional<double> ParseSpecial(std::string_view text) {
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return std::numeric_limits<double>::quiet_NaN();
  const bool minus = TakeSign(text);
  if (text != ".inf" && text != ".Inf" && text != ".INF") return std::nullopt;
  const double infinity = std::numeric_limits<double>::infinity();
  return minus ? -infinity : infinity;
}

std::optional<bool> AsBool(const Value& value) {
  if (!IsPlain(value)) return std::nullopt;
  const std::string& text = value.text;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

std::optional<int64_t> AsInt(const Value& value) {
  if (!IsPlain(value)) return std::nullopt;
  std::string_view text = value.text;
  const bool minus = TakeSign(text);
  const std::optional<uint64_t> magnitude = ParseMagnitude(text, text.size() != value.text.size());
  const uint64_t limit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + (minus ? 1 : 0);
  if (!magnitude || *magnitude > limit) return std::nullopt;
  return static_cast<int64_t>(minus ? uint64_t{0} - *magnitude : *magnitude);
}

std::optional<uint64_t> ParseUint(std::string_view text) {
  const size_t size = text.size();
  const bool minus = TakeSign(text);
  const std::optional<uint64_t> magnitude = ParseMagnitude(text, text.size() != size);
  return minus && magnitude != uint64_t{0} ? std::nullopt : magnitude;
}

std::optional<uint64_t> AsUint(const Value& value) {
  return IsPlain(value) ? ParseUint(value.text) : std::nullopt;
}

std::optional<double> AsFloat(const Value& value) {
  if (!IsPlain(value)) return std::nullopt;
  if (IsDecimalText(value.text)) return NearestDouble(value.text);
  if (const std::optional<uint64_t> integer = AsUint(value)) return static_cast<double>(*integer);
  return ParseSpecial(value.text);
}

std::optional<std::string> AsString(const Value& value) {
  if (value.kind != Value::Kind::kScalar) return std::nullopt;
  if (!value.quoted && (AsBool(value) || AsFloat(value))) return std::nullopt;
  return value.text;
}

std::optional<std::string> AsBytes(const Value& value) {
  return value.kind == Value::Kind::kBytes ? value.text : AsString(value);
}

}  // namespace opsrun::host
