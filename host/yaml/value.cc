// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/value.h"

#include <fmt/core.h>

#include <algorithm>

#include "host/base/text.h"
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

namespace {

constexpr size_t kMaxRepeated = 100'000;
constexpr size_t kMaxRepeatedBytes = size_t{16} << 20;
constexpr size_t kMaxAnchored = 10;  // copies for possible aliases are limited to this multiple: anchors can be nested

bool Fits(const TreeSize& size, size_t times) {
  return size.values <= times * kMaxRepeated && size.bytes <= times * kMaxRepeatedBytes;
}

}  // namespace

void TreeSize::Add(const TreeSize& inner, size_t key_bytes) {
  values += inner.values;
  bytes += inner.bytes + key_bytes;
  depth = std::max(depth, inner.depth + 1);
}

// A value that is too large for an alias, which may be the whole file, is not copied.
bool Anchors::End(const std::string& name, const Value& value, const TreeSize& size) {
  const bool fits = Fits(size, 1);
  marked_[name] = {true, fits ? value : Value(), size};
  if (!fits) return true;
  kept_.Add(size, 0);
  return Fits(kept_, kMaxAnchored) ||
         reporter_.Refuse("G007", value.span, "the anchors up to here mark too many values",
                          "put '&' only before values that an alias repeats");
}

const Anchors::Marked* Anchors::Repeat(std::string_view name, const Span& span) {
  const auto found = marked_.find(std::string(name));
  if (found == marked_.end()) {
    reporter_.Refuse("G006", span, fmt::format("no anchor is named {}", Quote(name)),
                     "an anchor '&name' must come before its alias '*name'");
    return nullptr;
  }
  const Marked& marked = found->second;
  if (!marked.complete) {
    reporter_.Refuse("G007", span, "an alias is inside the value that it repeats", "write the value out");
    return nullptr;
  }
  repeated_.Add(marked.size, 0);
  if (Fits(repeated_, 1)) return &marked;
  const std::string limit = repeated_.values > kMaxRepeated ? fmt::format("{} values", kMaxRepeated)
                                                            : fmt::format("{} bytes", kMaxRepeatedBytes);
  reporter_.Refuse("G007", span, fmt::format("the aliases expand to more than {}", limit),
                   "put large values into a .npy file");
  return nullptr;
}

}  // namespace opsrun::host
