// adapters/tensorflow/native/typed_op.cc
// SPDX-License-Identifier: Apache-2.0
#include "typed_op.h"

#include "types.h"

void opsrun_adapter::Throw(int32_t code, const std::string& text) {
  throw Failure(code, text);
}

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

TypedOp::TypedOp(const Op& op, const FindAttr& find)
    : op_(op), typed_(op.engine.TypeOp(op.name, InputsOf(op.def, find), AttrValues(op.def, find).all(), op.name)) {}

}  // namespace opsrun_tf
