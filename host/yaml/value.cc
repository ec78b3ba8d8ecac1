// host/yaml/value.cc: values, and what scalars mean.
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "host/base/text.h"

namespace opsrun::host {
namespace {

constexpr size_t kLongest = 60;

std::string_view Shortened(std::string_view text) {
  if (text.size() <= kLongest) return text;
  size_t end = kLongest;
  while (end > 0 && IsContinuationByte(text[end])) --end;
  return text.substr(0, end);
}

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

const Value* Value::Find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

Value* Value::Find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).Find(key));
}

std::string KindText(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kNull:
      return "nothing";
    case Value::Kind::kBytes:
      return "bytes";
    case Value::Kind::kList:
      return "a list";
    case Value::Kind::kMap:
      return "a map";
    case Value::Kind::kScalar:
      break;
  }
  if (AsBool(value)) return "a boolean";
  if (AsInt(value) || AsUint(value)) return "an integer";
  if (AsFloat(value)) return "a decimal number";
  return "a string";
}

std::string FoundText(const Value& value) {
  return value.kind == Value::Kind::kScalar ? Quote(value.text) : KindText(value);
}

std::string FoundWithKind(const Value& value) {
  return value.kind == Value::Kind::kScalar ? KindText(value) + " " + Quote(value.text) : KindText(value);
}

Value PlainValue(std::string text, const Span& span) {
  return {.kind = Value::Kind::kScalar, .text = std::move(text), .span = span};
}

Value StringValue(std::string text, const Span& span) {
  const Value::Kind kind = IsUtf8(text) ? Value::Kind::kScalar : Value::Kind::kBytes;
  return {.kind = kind, .text = std::move(text), .quoted = true, .span = span};
}

Value ListValue(const Span& span) {
  return {.kind = Value::Kind::kList, .span = span};
}

Value MapValue(const Span& span) {
  return {.kind = Value::Kind::kMap, .span = span};
}

void AddEntry(Value& map, std::string key, Value value) {
  map.entries.push_back({std::move(key), map.span, std::move(value)});
}

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

const std::string* FindText(const Value& value) {
  if (value.kind != Value::Kind::kScalar) return nullptr;
  constexpr std::string_view kBegins = "tTfF+-.0123456789";  // of booleans and numbers
  const bool may_be_other = !value.quoted && !value.text.empty() && kBegins.find(value.text[0]) != kBegins.npos;
  return may_be_other && (AsBool(value) || AsFloat(value)) ? nullptr : &value.text;
}

std::optional<std::string> AsString(const Value& value) {
  const std::string* const text = FindText(value);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

std::optional<std::string> AsBytes(const Value& value) {
  return value.kind == Value::Kind::kBytes ? value.text : AsString(value);
}

Diagnostic& Reporter::Error(Code code, const Span& where, std::string message) {
  return diagnostics_.Error(code, std::move(message), source_.path, where);
}

ErrorReported Reporter::Refuse(Code code, const Span& where, std::string message, std::string help) {
  Error(code, where, std::move(message)).help.push_back(std::move(help));
  return {};
}

std::string Quote(std::string_view text) {
  const std::string_view shown = Shortened(text);
  std::string quoted = "'";
  for (const char c : shown) {
    const unsigned char byte = static_cast<unsigned char>(c);
    quoted += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return quoted + (shown.size() < text.size() ? "...'" : "'");
}

}  // namespace opsrun::host
