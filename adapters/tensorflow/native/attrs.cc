// adapters/tensorflow/native/attrs.cc
// SPDX-License-Identifier: Apache-2.0
#include "attrs.h"

#include <utility>

#include "adapters/common/failure.h"

namespace opsrun_tf {
namespace {

using opsrun_adapter::Failure;
using tensorflow::AttrValue;

// Calls add with the value, or with each value of the list.
template <typename Value, typename List, typename Fn>
void ForEach(bool is_list, const Value& value, const List& list, Fn add) {
  if (!is_list) return add(value);
  for (const auto& each : list) add(each);
}

// A shape's default may have unknown rank. Calls of opsrun can leave out such an attr but cannot set it.
bool IsDefault(const tensorflow::OpDef::AttrDef& def, const AttrValue& value) {
  if (def.type() == "shape" || def.type() == "list(shape)") {
    return def.has_default_value() && def.default_value().SerializeAsString() == value.SerializeAsString();
  }
  const auto has_no_type = [](const tensorflow::TensorProto& tensor) {
    return tensor.dtype() == tensorflow::DT_INVALID;
  };
  if (value.has_tensor()) return has_no_type(value.tensor());
  return value.list().tensor_size() == 1 && has_no_type(value.list().tensor(0));
}

}  // namespace

AttrValues::AttrValues(const tensorflow::OpDef& op, const FindAttr& find) {
  for (const tensorflow::OpDef::AttrDef& def : op.attr()) {
    const AttrValue* const value = find(def.name());
    if (value == nullptr || IsDefault(def, *value)) continue;
    const uint32_t kind = opsrun_adapter::KindOf(def.type());
    list_.Begin(def.name(), kind);
    Add(kind, *value);
  }
}

void AttrValues::Add(uint32_t kind, const AttrValue& value) {
  const bool is_list = (kind & OPSRUN_ATTR_LIST) != 0;
  const AttrValue::ListValue& list = value.list();
  const auto add_int = [this](int64_t number) { list_.AddInt(number); };
  switch (kind & ~OPSRUN_ATTR_LIST) {
    case OPSRUN_ATTR_INT:
      return ForEach(is_list, value.i(), list.i(), add_int);
    case OPSRUN_ATTR_FLOAT:
      return ForEach(is_list, value.f(), list.f(), [this](float number) { list_.AddFloat(number); });
    case OPSRUN_ATTR_BOOL:
      return ForEach(is_list, value.b(), list.b(), add_int);
    case OPSRUN_ATTR_STRING:
      return ForEach(is_list, value.s(), list.s(), [this](const std::string& text) { list_.AddText(text); });
    case OPSRUN_ATTR_TYPE:
      return ForEach(is_list, value.type(), list.type(), add_int);
    case OPSRUN_ATTR_SHAPE:
      return ForEach(is_list, value.shape(), list.shape(), [this](const auto& shape) { AddShape(shape); });
    case OPSRUN_ATTR_TENSOR:
      return ForEach(is_list, value.tensor(), list.tensor(), [this](const auto& proto) { AddTensor(proto); });
    default:
      return ForEach(is_list, value.func(), list.func(), [this](const auto& func) { list_.AddText(func.name()); });
  }
}

void AttrValues::AddShape(const tensorflow::TensorShapeProto& shape) {
  if (shape.unknown_rank()) return list_.AddUnknownShape();
  std::vector<int64_t> sizes;
  for (const auto& dim : shape.dim()) sizes.push_back(dim.size());
  list_.AddShape(std::move(sizes));
}

void AttrValues::AddTensor(const tensorflow::TensorProto& proto) {
  tensorflow::Tensor tensor;
  const int32_t dtype = NumberOf(proto.dtype());
  const opsrun_dldtype* const dl = FindType(dtype);
  if (dl == nullptr || dtype == OPSRUN_DT_RESOURCE || !tensor.FromProto(proto)) {
    throw Failure(OPSRUN_INVALID_ARGUMENT, "an attr is a tensor of type " + tensorflow::DataTypeString(proto.dtype()) +
                                               ", which opsrun does not have, or is not a tensor");
  }
  if (tensor.dims() > OPSRUN_MAX_RANK) {
    throw Failure(OPSRUN_INVALID_ARGUMENT, "an attr is a tensor of more than 32 dimensions");
  }
  list_.AddTensor(&tensors_.emplace_back(nullptr, dtype, *dl, std::move(tensor), false));
}

}  // namespace opsrun_tf
