// host/spec/arg_signature.cc: see arg_signature.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/arg_signature.h"

#include <algorithm>

#include "host/spec/type_words.h"

namespace opsrun::host::spec {
namespace {

// A file may say anything; nobody reads a longer list.
constexpr int64_t kMostParts = 1 << 16;

// The default that stands for the attr, or null if the attr stands for itself.
const AttrValue* Replacement(const std::string& name, uint32_t kind, const OpDef& op, const OpDef& known) {
  if (known.FindAttr(name) != nullptr) return nullptr;
  const AttrDef* attr = op.FindAttr(name);
  const bool has = attr != nullptr && attr->type.kind == kind && attr->default_value;
  return has ? &*attr->default_value : nullptr;
}

std::string TypeOfOne(const ArgDef& arg, const OpDef& op, const OpDef& known) {
  if (arg.type_attr.empty()) return TypeText(arg.dtype);
  const AttrValue* type = Replacement(arg.type_attr, OPSRUN_ATTR_TYPE, op, known);
  return type == nullptr ? arg.type_attr : TypeText(DTypeFromNumber(type->ints.at(0)));
}

std::vector<std::string> TypesOf(const ArgDef& arg, const OpDef& op, const OpDef& known) {
  if (!arg.type_list_attr.empty()) {
    const AttrValue* types = Replacement(arg.type_list_attr, OPSRUN_ATTR_TYPE, op, known);
    if (types == nullptr) return {arg.type_list_attr};
    std::vector<std::string> texts;
    for (const DType type : types->Types()) texts.push_back(TypeText(type));
    return texts;
  }
  const std::string type = TypeOfOne(arg, op, known);
  if (arg.number_attr.empty()) return {type};
  const AttrValue* count = Replacement(arg.number_attr, OPSRUN_ATTR_INT, op, known);
  if (count == nullptr || count->ints.at(0) > kMostParts) return {arg.number_attr + " * " + type};
  return std::vector<std::string>(static_cast<size_t>(std::max<int64_t>(count->ints.at(0), 0)), type);
}

}  // namespace

std::vector<SignaturePart> ArgSignature(const std::vector<ArgDef>& args, const OpDef& op, const OpDef& known) {
  std::vector<SignaturePart> parts;
  for (const ArgDef& arg : args) {
    for (std::string& type : TypesOf(arg, op, known)) parts.push_back({std::move(type), arg.name, arg.is_ref});
  }
  return parts;
}

}  // namespace opsrun::host::spec
