// SPDX-License-Identifier: Apache-2.0
#include "host/spec/check_attr.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/spec/type_words.h"

namespace opsrun::host::spec {
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
