// host/spec/attr_value.cc: see attr_value.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/attr_value.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <utility>

#include "host/spec/tensor_text.h"
#include "host/spec/type_words.h"

namespace opsrun::host::spec {
namespace {

constexpr const char* kKindNames[] = {"", "int", "float", "bool", "string", "type", "shape", "tensor", "func"};

bool IsPlain(std::string_view text) {
  for (char c : text) {
    if (c == '\'' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
  }
  return true;
}

// 'text', or "it's\n" where single quotes would not do.
std::string QuotedText(std::string_view text) {
  if (IsPlain(text)) return fmt::format("'{}'", text);
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// Float attrs come from float32 texts; the shortest digits of that are what their author wrote.
std::string FloatText(double value) {
  const float narrow = static_cast<float>(value);
  const bool is_narrow = static_cast<double>(narrow) == value;
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  return is_narrow ? fmt::format("{}", narrow) : fmt::format("{}", value);
}

std::string ShapeText(const PartialShape& shape) {
  return shape.rank_known ? fmt::format("[{}]", fmt::join(shape.dims, ", ")) : "?";
}

std::string ElementText(const AttrValue& value, size_t i) {
  switch (value.type.kind) {
    case OPSRUN_ATTR_INT:
      return std::to_string(value.ints[i]);
    case OPSRUN_ATTR_FLOAT:
      return FloatText(value.floats[i]);
    case OPSRUN_ATTR_BOOL:
      return value.ints[i] != 0 ? "true" : "false";
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      return QuotedText(value.strings[i]);
    case OPSRUN_ATTR_TYPE:
      return TypeText(DTypeFromNumber(value.ints[i]));
    case OPSRUN_ATTR_SHAPE:
      return ShapeText(value.shapes[i]);
    case OPSRUN_ATTR_TENSOR:
      return TensorText(value.tensors[i]);
    default:
      return "?";
  }
}

AttrValue Scalar(uint32_t kind) {
  AttrValue value;
  value.type = {.kind = kind, .list = false};
  return value;
}

}  // namespace

std::string AttrTypeName(AttrType type) {
  const bool known = type.kind >= OPSRUN_ATTR_INT && type.kind <= OPSRUN_ATTR_FUNC;
  std::string name = known ? kKindNames[type.kind] : "kind " + std::to_string(type.kind);
  return type.list ? "list(" + name + ")" : name;
}

size_t AttrValue::size() const {
  switch (type.kind) {
    case OPSRUN_ATTR_INT:
    case OPSRUN_ATTR_BOOL:
    case OPSRUN_ATTR_TYPE:
      return ints.size();
    case OPSRUN_ATTR_FLOAT:
      return floats.size();
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      return strings.size();
    case OPSRUN_ATTR_SHAPE:
      return shapes.size();
    case OPSRUN_ATTR_TENSOR:
      return tensors.size();
    default:
      return 0;
  }
}

std::vector<DType> AttrValue::Types() const {
  std::vector<DType> types;
  for (const int64_t number : ints) types.push_back(DTypeFromNumber(number));
  return types;
}

AttrValue AttrValue::Int(int64_t value) {
  AttrValue made = Scalar(OPSRUN_ATTR_INT);
  made.ints = {value};
  return made;
}

AttrValue AttrValue::Float(double value) {
  AttrValue made = Scalar(OPSRUN_ATTR_FLOAT);
  made.floats = {value};
  return made;
}

AttrValue AttrValue::Bool(bool value) {
  AttrValue made = Scalar(OPSRUN_ATTR_BOOL);
  made.ints = {value ? 1 : 0};
  return made;
}

AttrValue AttrValue::String(std::string value) {
  AttrValue made = Scalar(OPSRUN_ATTR_STRING);
  made.strings.push_back(std::move(value));
  return made;
}

AttrValue AttrValue::Type(DType value) {
  AttrValue made = Scalar(OPSRUN_ATTR_TYPE);
  made.ints = {DTypeNumber(value)};
  return made;
}

AttrValue AttrValue::TypeList(const std::vector<DType>& values) {
  AttrValue made = Scalar(OPSRUN_ATTR_TYPE);
  made.type.list = true;
  for (const DType value : values) made.ints.push_back(DTypeNumber(value));
  return made;
}

std::string AttrValueText(const AttrValue& value) {
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) text += ", ";
    text += ElementText(value, i);
  }
  return value.type.list ? "[" + text + "]" : text;
}

}  // namespace opsrun::host::spec
