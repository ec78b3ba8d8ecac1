// adapters/tensorflow/native/attrs.cc
// SPDX-License-Identifier: Apache-2.0
#include "attrs.h"

#include "adapters/common/failure.h"

namespace opsrun_tf {
namespace {

using opsrun_adapter::Failure;
using opsrun_adapter::Str;
using tensorflow::AttrValue;

uint32_t KindOf(const std::string& type) {
  if (type == "int") return OPSRUN_ATTR_INT;
  if (type == "float") return OPSRUN_ATTR_FLOAT;
  if (type == "bool") return OPSRUN_ATTR_BOOL;
  if (type == "string") return OPSRUN_ATTR_STRING;
  if (type == "type") return OPSRUN_ATTR_TYPE;
  if (type == "shape") return OPSRUN_ATTR_SHAPE;
  return type == "tensor" ? OPSRUN_ATTR_TENSOR : OPSRUN_ATTR_FUNC;
}

// The values of a list, kept in `kept`.
template <typename T, typename Values, typename Fn>
const T* Keep(std::deque<std::vector<T>>& kept, const Values& values, opsrun_attr& attr, Fn convert) {
  std::vector<T>& list = kept.emplace_back();
  for (const auto& value : values) list.push_back(convert(value));
  attr.count = list.size();
  return list.data();
}

// The default of a shape may be one of unknown rank, which a call of opsrun can leave out, but not give.
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

int64_t IntOf(int64_t value) {
  return value;
}

}  // namespace

AttrValues::AttrValues(const tensorflow::OpDef& op, const FindAttr& find) {
  for (const tensorflow::OpDef::AttrDef& def : op.attr()) {
    const AttrValue* const value = find(def.name());
    if (value == nullptr || IsDefault(def, *value)) continue;
    opsrun_attr attr{};
    attr.name = Str(def.name());
    attr.count = 1;
    const std::string& type = def.type();
    if (type.rfind("list(", 0) == 0) {
      SetList(type.substr(5, type.size() - 6), value->list(), attr);
    } else {
      SetOne(type, *value, attr);
    }
    attrs_.push_back(attr);
  }
}

void AttrValues::SetOne(const std::string& type, const AttrValue& value, opsrun_attr& attr) {
  attr.kind = KindOf(type);
  switch (attr.kind) {
    case OPSRUN_ATTR_INT:
      attr.v.i = value.i();
      break;
    case OPSRUN_ATTR_FLOAT:
      attr.v.f = value.f();
      break;
    case OPSRUN_ATTR_BOOL:
      attr.v.i = value.b();
      break;
    case OPSRUN_ATTR_STRING:
      attr.v.s = Str(value.s());
      break;
    case OPSRUN_ATTR_TYPE:
      attr.v.i = value.type();
      break;
    case OPSRUN_ATTR_SHAPE:
      attr.v.shapes = shapes_.emplace_back(1, ShapeOf(value.shape())).data();
      break;
    case OPSRUN_ATTR_TENSOR:
      attr.v.tensors = tensors_.emplace_back(1, TensorOf(value.tensor())).data();
      break;
    default:
      attr.v.s = Str(value.func().name());
  }
}

void AttrValues::SetList(const std::string& type, const AttrValue::ListValue& list, opsrun_attr& attr) {
  const uint32_t kind = KindOf(type);
  attr.kind = kind | OPSRUN_ATTR_LIST;
  switch (kind) {
    case OPSRUN_ATTR_INT:
      attr.v.ints = Keep(ints_, list.i(), attr, IntOf);
      break;
    case OPSRUN_ATTR_FLOAT:
      attr.v.floats = Keep(floats_, list.f(), attr, [](float f) { return double{f}; });
      break;
    case OPSRUN_ATTR_BOOL:
      attr.v.ints = Keep(ints_, list.b(), attr, IntOf);
      break;
    case OPSRUN_ATTR_STRING:
      attr.v.strs = Keep(strs_, list.s(), attr, Str);
      break;
    case OPSRUN_ATTR_TYPE:
      attr.v.ints = Keep(ints_, list.type(), attr, IntOf);
      break;
    case OPSRUN_ATTR_SHAPE:
      attr.v.shapes = Keep(shapes_, list.shape(), attr, [this](const auto& shape) { return ShapeOf(shape); });
      break;
    case OPSRUN_ATTR_TENSOR:
      attr.v.tensors = Keep(tensors_, list.tensor(), attr, [this](const auto& proto) { return TensorOf(proto); });
      break;
    default:
      attr.v.strs = Keep(strs_, list.func(), attr, [](const auto& function) { return Str(function.name()); });
  }
}

opsrun_partial AttrValues::ShapeOf(const tensorflow::TensorShapeProto& shape) {
  if (shape.unknown_rank()) return {-1, 0, nullptr};
  std::vector<int64_t>& dims = ints_.emplace_back();
  for (const auto& dim : shape.dim()) dims.push_back(dim.size());
  return {static_cast<int32_t>(dims.size()), 0, dims.data()};
}

const opsrun_tensor* AttrValues::TensorOf(const tensorflow::TensorProto& proto) {
  KeptTensor& kept = kept_.emplace_back();
  const int32_t dtype = NumberOf(proto.dtype());
  const opsrun_dldtype* const dl = FindType(dtype);
  if (dl == nullptr || dtype == OPSRUN_DT_RESOURCE || !kept.tensor.FromProto(proto)) {
    throw Failure(OPSRUN_INVALID_ARGUMENT, "an attr is a tensor of type " + tensorflow::DataTypeString(proto.dtype()) +
                                               ", which opsrun does not have, or is no tensor");
  }
  if (kept.tensor.dims() > OPSRUN_MAX_RANK) {
    throw Failure(OPSRUN_INVALID_ARGUMENT, "an attr is a tensor of more than 32 dimensions");
  }
  kept.view.Expect(nullptr, dtype, *dl);
  kept.view.Show(kept.tensor, false);
  return &kept.view;
}

}  // namespace opsrun_tf
