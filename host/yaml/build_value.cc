// host/yaml/build_value.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/build_value.h"

namespace opsrun::host {
namespace {

Value MakeValue(Value::Kind kind, const Span& span) {
  Value value;
  value.kind = kind;
  value.span = span;
  return value;
}

}  // namespace

Value PlainValue(std::string text, const Span& span) {
  Value value = MakeValue(Value::Kind::kScalar, span);
  value.text = std::move(text);
  return value;
}

Value StringValue(std::string text, const Span& span) {
  Value value = PlainValue(std::move(text), span);
  value.quoted = true;
  return value;
}

Value ListValue(const Span& span) {
  return MakeValue(Value::Kind::kList, span);
}

Value MapValue(const Span& span) {
  return MakeValue(Value::Kind::kMap, span);
}

void AddEntry(Value& map, std::string key, Value value) {
  map.entries.push_back({std::move(key), map.span, std::move(value)});
}

}  // namespace opsrun::host
