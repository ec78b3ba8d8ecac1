// host/spec/op_def.cc: the words for values of attrs, and what attrs allow.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/op_def.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "host/base/text.h"
#include "host/spec/parse_op.h"

namespace opsrun::host::spec {
namespace {

constexpr const char* kKindNames[] = {"", "int", "float", "bool", "string", "type", "shape", "tensor", "func"};

// 'text', "it's\n" where single quotes would not work, or !!binary "/wB6".
std::string QuotedText(std::string_view text) {
  if (!IsUtf8(text)) return fmt::format("!!binary \"{}\"", EncodeBase64(text));
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (text.find('\'') == std::string_view::npos && std::none_of(text.begin(), text.end(), is_control)) {
    return fmt::format("'{}'", text);
  }
  std::string quoted = "\"";
  for (const char c : text) quoted += (c == '"' || c == '\\' ? "\\" : "") + Visible({&c, 1});
  return quoted + '"';
}

// Float attrs are parsed as float32, so the shortest float32 text is what the author wrote.
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

template <typename T>
std::string NumbersText(const std::string& bytes) {
  const T* const numbers = reinterpret_cast<const T*>(bytes.data());
  return fmt::format("{}", fmt::join(numbers, numbers + bytes.size() / sizeof(T), ", "));
}

// Empty for types that are rarely written.
std::string NumbersText(const TensorValue& tensor) {
  switch (tensor.dtype) {
    case DType::kInt32:
      return NumbersText<int32_t>(tensor.bytes);
    case DType::kInt64:
      return NumbersText<int64_t>(tensor.bytes);
    case DType::kUInt8:
      return NumbersText<uint8_t>(tensor.bytes);
    case DType::kFloat32:
      return NumbersText<float>(tensor.bytes);
    case DType::kFloat64:
      return NumbersText<double>(tensor.bytes);
    default:
      return {};
  }
}

// "int32 5", "float32 [1, 2.5]", or "int32 of shape [2, 3]" for a tensor that is too large for a sentence.
std::string TensorText(const TensorValue& tensor) {
  constexpr int64_t kMost = 8;
  const bool few = tensor.shape.size() <= 1 && (tensor.shape.empty() || tensor.shape[0] <= kMost);
  const std::string type = TypeText(tensor.dtype);
  const std::string numbers = few ? NumbersText(tensor) : std::string();
  if (numbers.empty()) return fmt::format("{} of shape [{}]", type, fmt::join(tensor.shape, ", "));
  return tensor.shape.empty() ? fmt::format("{} {}", type, numbers) : fmt::format("{} [{}]", type, numbers);
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

}  // namespace

std::string AttrTypeName(AttrType type) {
  const bool known = type.kind >= OPSRUN_ATTR_INT && type.kind <= OPSRUN_ATTR_FUNC;
  std::string name = known ? kKindNames[type.kind] : "kind " + std::to_string(type.kind);
  return type.list ? "list(" + name + ")" : name;
}

std::vector<DType> AttrValue::Types() const {
  std::vector<DType> types;
  for (const int64_t number : ints) types.push_back(DTypeFromNumber(number));
  return types;
}

AttrValue AttrValue::Int(int64_t value) {
  return {.type = {OPSRUN_ATTR_INT, false}, .ints = {value}};
}
AttrValue AttrValue::Float(double value) {
  return {.type = {OPSRUN_ATTR_FLOAT, false}, .floats = {value}};
}
AttrValue AttrValue::Bool(bool value) {
  return {.type = {OPSRUN_ATTR_BOOL, false}, .ints = {value ? 1 : 0}};
}
AttrValue AttrValue::String(std::string value) {
  return {.type = {OPSRUN_ATTR_STRING, false}, .strings = {std::move(value)}};
}
AttrValue AttrValue::Type(DType value) {
  return {.type = {OPSRUN_ATTR_TYPE, false}, .ints = {DTypeNumber(value)}};
}
AttrValue AttrValue::TypeList(const std::vector<DType>& values) {
  AttrValue list = {.type = {OPSRUN_ATTR_TYPE, true}};
  for (const DType value : values) list.ints.push_back(DTypeNumber(value));
  return list;
}

std::string AttrValueText(const AttrValue& value) {
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) text += ", ";
    text += ElementText(value, i);
  }
  return value.type.list ? "[" + text + "]" : text;
}

// Attrs.

namespace {

bool Fits(AttrType type, const AttrValue& value) {
  if (value.type == type) return true;
  return type.list && value.type.list && value.size() == 0;
}

std::optional<AttrFault> CheckTypes(const AttrValue& value) {
  for (int64_t number : value.ints) {
    const DType dtype = DTypeFromNumber(number);
    if (IsRefType(dtype))
      return AttrFault{AttrFault::Kind::kRefTypeValue, TypeText(dtype) + " is a reference, not a data type"};
    if (!IsDType(dtype)) return AttrFault{AttrFault::Kind::kNotAType, fmt::format("there is no data type {}", number)};
  }
  return std::nullopt;
}

std::optional<AttrFault> CheckMinimum(const AttrDef& attr, const AttrValue& value) {
  if (!attr.minimum) return std::nullopt;
  if (attr.type.list) {
    if (static_cast<int64_t>(value.size()) >= *attr.minimum) return std::nullopt;
    return AttrFault{AttrFault::Kind::kBelowMinimum,
                     fmt::format("a list of {} is shorter than {}", value.size(), *attr.minimum)};
  }
  if (value.ints[0] >= *attr.minimum) return std::nullopt;
  return AttrFault{AttrFault::Kind::kBelowMinimum, fmt::format("{} is below {}", value.ints[0], *attr.minimum)};
}

template <typename T, typename U>
bool Holds(const std::vector<T>& allowed, const U& value) {
  return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

std::optional<AttrFault> CheckAllowed(const AttrDef& attr, const AttrValue& value) {
  const std::vector<DType>& types = attr.allowed_types;
  const std::vector<std::string>& strings = attr.allowed_strings;
  std::optional<AttrValue> refused;
  for (const int64_t number : value.ints) {
    const DType dtype = DTypeFromNumber(number);
    if (types.empty() || Holds(types, dtype)) continue;
    refused = AttrValue::Type(dtype);
    break;
  }
  for (const std::string& text : value.strings) {
    if (refused || strings.empty() || Holds(strings, text)) continue;
    refused = AttrValue::String(text);
  }
  if (!refused) return std::nullopt;
  return AttrFault{AttrFault::Kind::kNotAllowed,
                   fmt::format("{} is not one of {}", AttrValueText(*refused), AllowedText(attr))};
}

}  // namespace

std::string AllowedText(const AttrDef& attr) {
  std::vector<std::string> words;
  for (DType dtype : attr.allowed_types) words.push_back(TypeText(dtype));
  for (const std::string& text : attr.allowed_strings) words.push_back(AttrValueText(AttrValue::String(text)));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::optional<AttrFault> CheckAttrValue(const AttrDef& attr, const AttrValue& value) {
  if (!Fits(attr.type, value)) {
    return AttrFault{AttrFault::Kind::kWrongAttrKind,
                     fmt::format("{} is of type {}", AttrValueText(value), AttrTypeName(value.type))};
  }
  if (attr.type.kind == OPSRUN_ATTR_TYPE) {
    if (std::optional<AttrFault> fault = CheckTypes(value)) return fault;
  }
  if (std::optional<AttrFault> fault = CheckMinimum(attr, value)) return fault;
  return CheckAllowed(attr, value);
}

namespace {

std::string BoundsText(const AttrDef& attr) {
  std::string text = AttrTypeName(attr.type);
  const char* values = !attr.type.list ? "" : attr.minimum == 1 ? " value" : " values";
  if (attr.minimum) text += fmt::format(", {}{} or more", *attr.minimum, values);
  const std::string allowed = AllowedText(attr);
  return allowed.empty() ? text : fmt::format("{}, {} {}", text, attr.type.list ? "each one of" : "one of", allowed);
}

}  // namespace

const ArgDef* InferredFrom(const OpDef& op, const std::string& attr) {
  const auto found = std::find_if(op.inputs.begin(), op.inputs.end(), [&](const ArgDef& arg) {
    return arg.type_attr == attr || arg.number_attr == attr || arg.type_list_attr == attr;
  });
  return found == op.inputs.end() ? nullptr : &*found;
}

std::string AttrText(const OpDef& op, const AttrDef& attr) {
  const std::string text = BoundsText(attr);
  if (const ArgDef* input = InferredFrom(op, attr.name))
    return text + fmt::format("; inferred from input '{}'", input->name);
  if (!attr.default_value) return text + "; required";
  return text + fmt::format("; default {}", AttrValueText(*attr.default_value));
}

std::string ArgTypeText(const ArgDef& arg) {
  if (!arg.type_list_attr.empty()) return arg.type_list_attr + ", a list";
  const std::string type = arg.type_attr.empty() ? DTypeName(arg.dtype) : arg.type_attr;
  return arg.number_attr.empty() ? type : fmt::format("{} * {}, a list", arg.number_attr, type);
}

}  // namespace opsrun::host::spec
