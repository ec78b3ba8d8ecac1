// adapters/pytorch/native/attrs.cc
// SPDX-License-Identifier: Apache-2.0
#include "attrs.h"

#include <ATen/core/List.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "errors.h"
#include "types.h"

namespace opsrun_torch {
namespace {

int64_t TypeNumber(const c10::IValue& value) {
  const auto type = static_cast<c10::ScalarType>(value.toInt());
  const TypeNumbers* const numbers = FindType(type);
  if (numbers == nullptr) {
    Raise(OPSRUN_INVALID_ARGUMENT, std::string("opsrun has no data type ") + c10::toString(type));
  }
  return numbers->opsrun;
}

int64_t IntOf(const std::string& type, const c10::IValue& value) {
  if (type == "type") return TypeNumber(value);
  return type == "bool" ? static_cast<int64_t>(value.toBool()) : value.toInt();
}

uint32_t KindOf(const std::string& type) {
  if (type == "int") return OPSRUN_ATTR_INT;
  if (type == "float") return OPSRUN_ATTR_FLOAT;
  if (type == "bool") return OPSRUN_ATTR_BOOL;
  if (type == "string") return OPSRUN_ATTR_STRING;
  if (type == "type") return OPSRUN_ATTR_TYPE;
  if (type == "tensor") return OPSRUN_ATTR_TENSOR;
  return type == "shape" ? OPSRUN_ATTR_SHAPE : OPSRUN_ATTR_FUNC;
}

c10::IValue IntValue(uint32_t kind, int64_t i) {
  if (kind == OPSRUN_ATTR_BOOL) return i != 0;
  if (kind != OPSRUN_ATTR_TYPE) return i;
  const TypeNumbers* const numbers = FindType(static_cast<int32_t>(i));
  return numbers == nullptr ? c10::IValue() : static_cast<int64_t>(numbers->torch);
}

c10::IValue ShapeValue(const opsrun_partial& shape) {
  return shape.rank < 0 ? c10::IValue() : c10::IValue(std::vector<int64_t>(shape.dims, shape.dims + shape.rank));
}

at::Tensor TensorValue(const opsrun_attr& attr, size_t i) {
  const opsrun_tensor& tensor = *attr.v.tensors[i];
  const TypeNumbers* const type = FindType(tensor.dtype);
  if (type == nullptr) {
    Raise(OPSRUN_UNIMPLEMENTED, "attr '" + Text(attr.name) + "' is a tensor of a type that PyTorch does not have");
  }
  return CopyOf(tensor, *type);
}

c10::IValue ListValue(const opsrun_attr& attr) {
  const size_t n = attr.count;
  switch (attr.kind & ~OPSRUN_ATTR_LIST) {
    case OPSRUN_ATTR_INT:
      return std::vector<int64_t>(attr.v.ints, attr.v.ints + n);
    case OPSRUN_ATTR_FLOAT:
      return std::vector<double>(attr.v.floats, attr.v.floats + n);
    case OPSRUN_ATTR_BOOL: {
      c10::List<bool> list;
      for (size_t i = 0; i < n; ++i) list.push_back(attr.v.ints[i] != 0);
      return list;
    }
    case OPSRUN_ATTR_TYPE: {
      std::vector<int64_t> list;
      for (size_t i = 0; i < n; ++i) {
        const c10::IValue type = IntValue(OPSRUN_ATTR_TYPE, attr.v.ints[i]);
        if (type.isNone()) return {};
        list.push_back(type.toInt());
      }
      return list;
    }
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC: {
      c10::List<std::string> list;
      for (size_t i = 0; i < n; ++i) list.push_back(Text(attr.v.strs[i]));
      return list;
    }
    case OPSRUN_ATTR_TENSOR: {
      c10::List<at::Tensor> list;
      for (size_t i = 0; i < n; ++i) list.push_back(TensorValue(attr, i));
      return list;
    }
    case OPSRUN_ATTR_SHAPE: {
      c10::List<c10::List<int64_t>> list;
      for (size_t i = 0; i < n; ++i) {
        const c10::IValue shape = ShapeValue(attr.v.shapes[i]);
        if (shape.isNone()) return {};
        list.push_back(shape.toIntList());
      }
      return list;
    }
    default:
      return {};
  }
}

bool SameTensor(const at::Tensor& a, const at::Tensor& b) {
  if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  const at::Tensor x = IsPlain(a) ? a : PlainCopyOf(a), y = IsPlain(b) ? b : PlainCopyOf(b);
  return x.nbytes() == 0 || std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

bool SameTensors(const c10::List<at::Tensor>& a, const c10::List<at::Tensor>& b) {
  for (size_t i = 0; i < a.size() && a.size() == b.size(); ++i) {
    if (!SameTensor(a[i], b[i])) return false;
  }
  return a.size() == b.size();
}

}  // namespace

AttrValues::AttrValues(const std::vector<AttrSpec>& specs, c10::ArrayRef<c10::IValue> values) {
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!values[i].isNone()) attrs_.push_back(Convert(specs[i], values[i]));
  }
}

opsrun_attr AttrValues::Convert(const AttrSpec& spec, const c10::IValue& value) {
  opsrun_attr attr{};
  attr.name = Str(spec.name);
  if (spec.type.rfind("list(", 0) == 0) {
    ConvertList(spec.type.substr(5, spec.type.size() - 6), value, attr);
  } else {
    ConvertOne(spec.type, value, attr);
  }
  return attr;
}

void AttrValues::ConvertOne(const std::string& type, const c10::IValue& value, opsrun_attr& attr) {
  attr.kind = KindOf(type);
  attr.count = 1;
  if (attr.kind == OPSRUN_ATTR_FLOAT) {
    attr.v.f = value.toDouble();
  } else if (attr.kind == OPSRUN_ATTR_STRING || attr.kind == OPSRUN_ATTR_FUNC) {
    attr.v.s = Keep(value.toStringRef());
  } else if (attr.kind == OPSRUN_ATTR_SHAPE) {
    attr.v.shapes = shapes_.emplace_back(1, ShapeOf(value)).data();
  } else if (attr.kind == OPSRUN_ATTR_TENSOR) {
    attr.v.tensors = tensors_.emplace_back(1, TensorOf(value.toTensor())).data();
  } else {
    attr.v.i = IntOf(type, value);
  }
}

void AttrValues::ConvertList(const std::string& type, const c10::IValue& value, opsrun_attr& attr) {
  const c10::List<c10::IValue> list = value.toList();
  attr.kind = KindOf(type) | OPSRUN_ATTR_LIST;
  attr.count = list.size();
  if (type == "float") {
    std::vector<double>& floats = floats_.emplace_back();
    for (const c10::IValue& each : list) floats.push_back(each.toDouble());
    attr.v.floats = floats.data();
  } else if (type == "string" || type == "func") {
    std::vector<opsrun_str>& strs = strs_.emplace_back();
    for (const c10::IValue& each : list) strs.push_back(Keep(each.toStringRef()));
    attr.v.strs = strs.data();
  } else if (type == "shape") {
    std::vector<opsrun_partial>& shapes = shapes_.emplace_back();
    for (const c10::IValue& each : list) shapes.push_back(ShapeOf(each));
    attr.v.shapes = shapes.data();
  } else if (type == "tensor") {
    std::vector<const opsrun_tensor*>& tensors = tensors_.emplace_back();
    for (const c10::IValue& each : list) tensors.push_back(TensorOf(each.toTensor()));
    attr.v.tensors = tensors.data();
  } else {
    std::vector<int64_t>& ints = ints_.emplace_back();
    for (const c10::IValue& each : list) ints.push_back(IntOf(type, each));
    attr.v.ints = ints.data();
  }
}

opsrun_str AttrValues::Keep(const std::string& text) {
  return Str(texts_.emplace_back(text));
}

opsrun_partial AttrValues::ShapeOf(const c10::IValue& sizes) {
  const std::vector<int64_t>& kept = ints_.emplace_back(sizes.toIntVector());
  return {static_cast<int32_t>(kept.size()), 0, kept.data()};
}

// The tensors of a key are plain copies: see Keep.
const opsrun_tensor* AttrValues::TensorOf(const at::Tensor& tensor) {
  const TypeNumbers* const type = FindType(tensor.scalar_type());
  if (type == nullptr) {
    Raise(OPSRUN_INVALID_ARGUMENT, std::string("an attr is a tensor of ") + c10::toString(tensor.scalar_type()) +
                                       ", which opsrun does not have");
  }
  if (tensor.dim() > OPSRUN_MAX_RANK) {
    Raise(OPSRUN_INVALID_ARGUMENT, "an attr is a tensor of more than 32 dimensions");
  }
  Input& view = views_.emplace_back(nullptr, *type, tensor);
  view.flags |= OPSRUN_TENSOR_CONST;
  return &view;
}

c10::IValue ValueOf(const opsrun_attr& attr) {
  if ((attr.kind & OPSRUN_ATTR_LIST) != 0) return ListValue(attr);
  switch (attr.kind) {
    case OPSRUN_ATTR_FLOAT:
      return attr.v.f;
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      return Text(attr.v.s);
    case OPSRUN_ATTR_SHAPE:
      return ShapeValue(attr.v.shapes[0]);
    case OPSRUN_ATTR_TENSOR:
      return TensorValue(attr, 0);
    default:
      return IntValue(attr.kind, attr.v.i);
  }
}

bool SameValue(const c10::IValue& a, const c10::IValue& b) {
  if (a.isInt() && b.isInt()) return a.toInt() == b.toInt();
  if (a.isNone() || b.isNone()) return a.isNone() && b.isNone();
  if (a.isDouble() && b.isDouble()) {
    const double x = a.toDouble(), y = b.toDouble();
    return std::memcmp(&x, &y, sizeof(x)) == 0;
  }
  if (a.isTensor() && b.isTensor()) return SameTensor(a.toTensor(), b.toTensor());
  if (a.isTensorList() && b.isTensorList()) return SameTensors(a.toTensorList(), b.toTensorList());
  return a.tagKind() == b.tagKind() && a == b;
}

bool IsReadable(const at::Tensor& tensor) {
  return tensor.defined() && tensor.is_cpu() && tensor.layout() == c10::kStrided &&
         !tensor.key_set().has(c10::DispatchKey::Python) && !tensor.is_quantized();
}

bool AnyTensorOf(const c10::IValue& value, const std::function<bool(const at::Tensor&)>& fn) {
  if (value.isTensor()) return fn(value.toTensor());
  if (!value.isTensorList()) return false;
  const c10::List<at::Tensor> list = value.toTensorList();
  return std::any_of(list.begin(), list.end(), [&](const at::Tensor& each) { return fn(each); });
}

c10::IValue Keep(const c10::IValue& value) {
  if (value.isTensor()) return PlainCopyOf(value.toTensor());
  if (!value.isTensorList()) return value;
  c10::List<at::Tensor> list;
  for (const at::Tensor& each : value.toTensorVector()) list.push_back(PlainCopyOf(each));
  return list;
}

}  // namespace opsrun_torch
