// host/spec/attr_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/attr_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/spec/check_attr.h"

namespace opsrun::host::spec {
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
    return text + fmt::format("; given by input '{}'", input->name);
  if (!attr.default_value) return text + "; must be given";
  return text + fmt::format("; default {}", AttrValueText(*attr.default_value));
}

std::string ArgTypeText(const ArgDef& arg) {
  if (!arg.type_list_attr.empty()) return arg.type_list_attr + ", a list";
  const std::string type = arg.type_attr.empty() ? DTypeName(arg.dtype) : arg.type_attr;
  return arg.number_attr.empty() ? type : fmt::format("{} * {}, a list", arg.number_attr, type);
}

}  // namespace opsrun::host::spec
