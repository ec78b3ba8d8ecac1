// host/spec/make_signature.cc: see make_signature.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/make_signature.h"

#include <utility>

#include "host/spec/type_words.h"

namespace opsrun::host::spec {
namespace {

const AttrValue* Find(const OpDef& op, const std::vector<AttrValue>& attrs, const std::string& name) {
  const AttrDef* attr = op.FindAttr(name);
  return attr == nullptr ? nullptr : &attrs[op.IndexOf(*attr)];
}

// Empty if they are not known.
std::vector<DType> TypesOf(const OpDef& op, const std::vector<AttrValue>& attrs, const std::string& name) {
  const AttrValue* value = Find(op, attrs, name);
  return value == nullptr ? std::vector<DType>() : value->Types();
}

std::vector<DType> BaseTypesOf(const OpDef& op, const std::vector<AttrValue>& attrs, const ArgDef& arg) {
  if (!arg.type_list_attr.empty()) {
    return TypesOf(op, attrs, arg.type_list_attr);
  }
  DType dtype = arg.dtype;
  if (!arg.type_attr.empty()) {
    const std::vector<DType> type = TypesOf(op, attrs, arg.type_attr);
    dtype = type.empty() ? DType::kInvalid : type[0];
  }
  if (arg.number_attr.empty()) return {dtype};
  const AttrValue* count = Find(op, attrs, arg.number_attr);
  return std::vector<DType>(count == nullptr || count->ints.empty() ? 0 : static_cast<size_t>(count->ints[0]), dtype);
}

void AppendArg(const ArgDef& arg, std::vector<DType> base_types, std::vector<ArgRange>* ranges,
               std::vector<DType>* types) {
  ranges->push_back(
      {arg.name, static_cast<uint32_t>(types->size()), static_cast<uint32_t>(base_types.size()), arg.is_list()});
  for (DType dtype : base_types) types->push_back(arg.is_ref && IsDType(dtype) ? RefType(dtype) : dtype);
}

}  // namespace

Signature MakeSignature(const OpDef& op, std::vector<AttrValue> attrs) {
  Signature made;
  for (const ArgDef& arg : op.inputs) AppendArg(arg, BaseTypesOf(op, attrs, arg), &made.in_args, &made.in_types);
  for (const ArgDef& arg : op.outputs) AppendArg(arg, BaseTypesOf(op, attrs, arg), &made.out_args, &made.out_types);
  made.attrs = std::move(attrs);
  return made;
}

}  // namespace opsrun::host::spec
