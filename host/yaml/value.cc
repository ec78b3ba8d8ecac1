// host/yaml/value.cc: YAML as our own small tree.
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/value.h"

#include <utility>

#include "host/base/utf8.h"
#include "host/yaml/reporter.h"
#include "host/yaml/scalar.h"

namespace opsrun::host {

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

}  // namespace opsrun::host
