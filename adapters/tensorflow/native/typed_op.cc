// adapters/tensorflow/native/typed_op.cc
// SPDX-License-Identifier: Apache-2.0
#include "typed_op.h"

#include "adapters/common/failure.h"
#include "types.h"

namespace opsrun_tf {
namespace {

using opsrun_adapter::Failure;
using opsrun_adapter::Str;
using tensorflow::OpDef;

const tensorflow::AttrValue& ValueOf(const FindAttr& find, const std::string& name) {
  const tensorflow::AttrValue* const value = find(name);
  if (value == nullptr) throw Failure(OPSRUN_INVALID_ARGUMENT, "attr '" + name + "' has no value");
  return *value;
}

std::vector<int32_t> TypesOf(const OpDef::ArgDef& arg, const FindAttr& find) {
  std::vector<int32_t> types;
  if (!arg.type_list_attr().empty()) {
    for (const int type : ValueOf(find, arg.type_list_attr()).list().type()) types.push_back(type);
    return types;
  }
  const int type = arg.type_attr().empty() ? arg.type() : ValueOf(find, arg.type_attr()).type();
  types.assign(arg.number_attr().empty() ? 1 : static_cast<size_t>(ValueOf(find, arg.number_attr()).i()), type);
  return types;
}

std::vector<opsrun_op_input> InputsOf(const OpDef& def, const FindAttr& find) {
  std::vector<opsrun_op_input> inputs;
  for (const OpDef::ArgDef& arg : def.input_arg()) {
    const bool list = !arg.number_attr().empty() || !arg.type_list_attr().empty();
    const std::vector<int32_t> types = TypesOf(arg, find);
    for (const int32_t type : types) {
      inputs.push_back({Str(arg.name()), type, 0, nullptr, list ? OPSRUN_LIST_ELEMENT : 0, 0});
    }
    if (types.empty()) inputs.push_back({Str(arg.name()), 0, 0, nullptr, OPSRUN_LIST_EMPTY, 0});
  }
  return inputs;
}

}  // namespace

TypedOp::TypedOp(const Op& op, const FindAttr& find) : op_(op) {
  const std::vector<opsrun_op_input> inputs = InputsOf(op.def, find);
  const AttrValues values(op.def, find);
  opsrun_report* report = nullptr;
  const int32_t code =
      opsrun_engine_type_op(op.engine, Str(op.name), inputs.data(), static_cast<uint32_t>(inputs.size()),
                            values.all().data(), static_cast<uint32_t>(values.all().size()), &typed_, &report);
  opsrun_adapter::Check(code, report, op.name);
  info_ = opsrun_typed_op_get(typed_);
}

}  // namespace opsrun_tf
