// host/spec/write_op.cc: an op as text: its signature for people, and the strings of its registration.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/text.h"
#include "host/spec/parse_op.h"

namespace opsrun::host::spec {
namespace {

std::string ArgText(const ArgDef& arg) {
  std::string type = !arg.type_attr.empty()        ? arg.type_attr
                     : !arg.type_list_attr.empty() ? arg.type_list_attr
                                                   : TypeText(arg.dtype);
  if (!arg.number_attr.empty()) type = arg.number_attr + " * " + type;
  if (arg.is_ref) type = "Ref(" + type + ")";
  return arg.name + ": " + type;
}

std::string ArgsText(const std::vector<ArgDef>& args) {
  std::string text;
  for (const ArgDef& arg : args) text += (text.empty() ? "" : ", ") + ArgText(arg);
  return "(" + text + ")";
}

// allowed, value: as the text has them.
std::string AttrText(const AttrDef& attr, const std::string& allowed, const std::string& value) {
  const std::string_view set = TypeSetWord(attr.allowed_types);
  std::string type = AttrTypeName({attr.type.kind, false});
  if (!set.empty()) {
    type = set;
  } else if (!allowed.empty()) {
    type = "{" + allowed + "}";
  }
  if (attr.type.list) type = "list(" + type + ")";
  std::string text = attr.name + ": " + type;
  if (attr.minimum) text += fmt::format(" >= {}", *attr.minimum);
  if (attr.default_value) text += " = " + value;
  return text;
}

// Literals, as ParseAttr reads them.

std::string StringLiteral(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\';
    text += plain ? std::string(1, c) : fmt::format("\\{:03o}", byte);
  }
  return text + '"';
}

template <typename T, typename Text>
std::string Joined(const std::vector<T>& values, const Text& text) {
  std::string all;
  for (const T& value : values) all += (all.empty() ? "" : ", ") + text(value);
  return all;
}

std::string SizesLiteral(const std::vector<int64_t>& sizes) {
  std::string text = "{";
  for (const int64_t size : sizes) text += fmt::format(" dim {{ size: {} }}", size);
  return text + " }";
}

std::string TypeLiteral(DType dtype) {
  return IsDType(BaseType(dtype)) ? EnumWord(dtype) : std::to_string(DTypeNumber(dtype));
}

std::string TensorLiteral(const TensorValue& tensor) {
  std::string text = fmt::format("{{ dtype: {} tensor_shape {}", TypeLiteral(tensor.dtype), SizesLiteral(tensor.shape));
  if (!tensor.strings.empty()) text += fmt::format(" string_val: [{}]", Joined(tensor.strings, StringLiteral));
  if (tensor.dtype != DType::kString) text += " tensor_content: " + StringLiteral(tensor.bytes);
  return text + " }";
}

std::string ElementLiteral(const AttrValue& value, size_t i) {
  switch (value.type.kind) {
    case OPSRUN_ATTR_FLOAT:
      return fmt::format("{}", static_cast<float>(value.floats[i]));
    case OPSRUN_ATTR_STRING:
      return StringLiteral(value.strings[i]);
    case OPSRUN_ATTR_FUNC:
      return fmt::format("{{ name: {} }}", StringLiteral(value.strings[i]));
    case OPSRUN_ATTR_TYPE:
      return TypeLiteral(DTypeFromNumber(value.ints[i]));
    case OPSRUN_ATTR_SHAPE:
      return value.shapes[i].rank_known ? SizesLiteral(value.shapes[i].dims) : "{ unknown_rank: true }";
    case OPSRUN_ATTR_TENSOR:
      return TensorLiteral(value.tensors[i]);
    case OPSRUN_ATTR_BOOL:
      return value.ints[i] != 0 ? "true" : "false";
    default:
      return std::to_string(value.ints[i]);
  }
}

std::string ValueLiteral(const AttrValue& value) {
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) text += (i == 0 ? "" : ", ") + ElementLiteral(value, i);
  return value.type.list ? "[" + text + "]" : text;
}

std::string AttrSpec(const AttrDef& attr) {
  const std::string allowed =
      attr.allowed_types.empty() ? Joined(attr.allowed_strings, StringLiteral) : Joined(attr.allowed_types, TypeText);
  return AttrText(attr, allowed, attr.default_value ? ValueLiteral(*attr.default_value) : "");
}

}  // namespace

std::string SignatureText(const OpDef& op) {
  std::string attrs;
  for (const AttrDef& attr : op.attrs) {
    const std::string value = attr.default_value ? AttrValueText(*attr.default_value) : "";
    attrs += (attrs.empty() ? "; " : ", ") + AttrText(attr, AllowedText(attr), value);
  }
  return op.name + ArgsText(op.inputs) + " -> " + ArgsText(op.outputs) + attrs;
}

OpStrings StringsOf(const OpDef& op) {
  OpStrings strings;
  strings.name = op.name;
  for (const ArgDef& arg : op.inputs) strings.inputs.push_back(ArgText(arg));
  for (const ArgDef& arg : op.outputs) strings.outputs.push_back(ArgText(arg));
  for (const AttrDef& attr : op.attrs) strings.attrs.push_back(AttrSpec(attr));
  return strings;
}

}  // namespace opsrun::host::spec
