// host/spec/op_def.cc: an op's attrs by name, and its signature as text.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/op_def.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/spec/check_attr.h"
#include "host/spec/type_words.h"

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

std::string AttrText(const AttrDef& attr) {
  const std::string_view set = TypeSetWord(attr.allowed_types);
  std::string type = AttrTypeName({attr.type.kind, false});
  if (!set.empty()) {
    type = set;
  } else if (!attr.allowed_types.empty() || !attr.allowed_strings.empty()) {
    type = "{" + AllowedText(attr) + "}";
  }
  if (attr.type.list) type = "list(" + type + ")";
  std::string text = attr.name + ": " + type;
  if (attr.minimum) text += fmt::format(" >= {}", *attr.minimum);
  if (attr.default_value) text += " = " + AttrValueText(*attr.default_value);
  return text;
}

}  // namespace

const AttrDef* OpDef::FindAttr(std::string_view attr) const {
  auto found = std::find_if(attrs.begin(), attrs.end(), [attr](const AttrDef& def) { return def.name == attr; });
  return found == attrs.end() ? nullptr : &*found;
}

std::string SignatureText(const OpDef& op) {
  std::string attrs;
  for (const AttrDef& attr : op.attrs) attrs += (attrs.empty() ? "; " : ", ") + AttrText(attr);
  return op.name + ArgsText(op.inputs) + " -> " + ArgsText(op.outputs) + attrs;
}

}  // namespace opsrun::host::spec
