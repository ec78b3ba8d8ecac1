// adapters/pytorch/native/attrs.cc
// SPDX-License-Identifier: Apache-2.0
#include "attrs.h"

#include <ATen/core/List.h>
#include <ATen/core/jit_type.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "errors.h"
#include "types.h"

namespace opsrun_torch {
namespace {

using opsrun_adapter::FloatOf;
using opsrun_adapter::IntOf;
using opsrun_adapter::StrOf;

int64_t TypeNumber(const c10::IValue& value) {
  const auto type = static_cast<c10::ScalarType>(value.toInt());
  const TypeNumbers* const numbers = FindType(type);
  if (numbers == nullptr) {
    Raise(OPSRUN_INVALID_ARGUMENT, std::string("opsrun has no data type ") + c10::toString(type));
  }
  return numbers->opsrun;
}

// None for a value that PyTorch's arguments cannot express.
c10::IValue ElementOf(const opsrun_attr& attr, size_t i) {
  switch (attr.kind & ~OPSRUN_ATTR_LIST) {
    case OPSRUN_ATTR_INT:
      return IntOf(attr, i);
    case OPSRUN_ATTR_FLOAT:
      return FloatOf(attr, i);
    case OPSRUN_ATTR_BOOL:
      return IntOf(attr, i) != 0;
    case OPSRUN_ATTR_TYPE: {
      const TypeNumbers* const numbers = FindType(static_cast<int32_t>(IntOf(attr, i)));
      return numbers == nullptr ? c10::IValue() : static_cast<int64_t>(numbers->torch);
    }
    case OPSRUN_ATTR_SHAPE: {
      const opsrun_partial& shape = attr.v.shapes[i];
      return shape.rank < 0 ? c10::IValue() : c10::IValue(std::vector<int64_t>(shape.dims, shape.dims + shape.rank));
    }
    case OPSRUN_ATTR_TENSOR: {
      const opsrun_tensor& tensor = *attr.v.tensors[i];
      const TypeNumbers* const type = FindType(tensor.dtype);
      if (type != nullptr) return CopyOf(tensor, *type);
      Raise(OPSRUN_UNIMPLEMENTED, "attr '" + Text(attr.name) + "' is a tensor of a type that PyTorch does not have");
    }
    default:
      return Text(StrOf(attr, i));
  }
}

c10::TypePtr ElementType(uint32_t kind) {
  switch (kind & ~OPSRUN_ATTR_LIST) {
    case OPSRUN_ATTR_INT:
    case OPSRUN_ATTR_TYPE:
      return c10::IntType::get();
    case OPSRUN_ATTR_FLOAT:
      return c10::FloatType::get();
    case OPSRUN_ATTR_BOOL:
      return c10::BoolType::get();
    case OPSRUN_ATTR_SHAPE:
      return c10::ListType::ofInts();
    case OPSRUN_ATTR_TENSOR:
      return c10::TensorType::get();
    default:
      return c10::StringType::get();
  }
}

bool SameTensor(const at::Tensor& a, const at::Tensor& b) {
  if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  const at::Tensor x = IsPlain(a) ? a : PlainCopyOf(a), y = IsPlain(b) ? b : PlainCopyOf(b);
  return x.nbytes() == 0 || std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

}  // namespace

AttrValues::AttrValues(const std::vector<AttrSpec>& specs, c10::ArrayRef<c10::IValue> values) {
  for (size_t i = 0; i < specs.size(); ++i) {
    if (values[i].isNone()) continue;
    const uint32_t kind = opsrun_adapter::KindOf(specs[i].type);
    list_.Begin(specs[i].name, kind);
    if ((kind & OPSRUN_ATTR_LIST) == 0) {
      Add(kind, values[i]);
    } else {
      for (const c10::IValue& each : values[i].toListRef()) Add(kind & ~OPSRUN_ATTR_LIST, each);
    }
  }
}

void AttrValues::Add(uint32_t kind, const c10::IValue& value) {
  switch (kind) {
    case OPSRUN_ATTR_INT:
      return list_.AddInt(value.toInt());
    case OPSRUN_ATTR_FLOAT:
      return list_.AddFloat(value.toDouble());
    case OPSRUN_ATTR_BOOL:
      return list_.AddInt(static_cast<int64_t>(value.toBool()));
    case OPSRUN_ATTR_TYPE:
      return list_.AddInt(TypeNumber(value));
    case OPSRUN_ATTR_SHAPE:
      return list_.AddShape(value.toIntVector());
    case OPSRUN_ATTR_TENSOR:
      return AddTensor(value.toTensor());
    default:
      return list_.AddText(value.toStringRef());
  }
}

// Tensors in a key are dense copies: see Keep.
void AttrValues::AddTensor(const at::Tensor& tensor) {
  const TypeNumbers* const type = FindType(tensor.scalar_type());
  if (type == nullptr) {
    Raise(OPSRUN_INVALID_ARGUMENT, std::string("an attr is a tensor of ") + c10::toString(tensor.scalar_type()) +
                                       ", which opsrun does not have");
  }
  if (tensor.dim() > OPSRUN_MAX_RANK) {
    Raise(OPSRUN_INVALID_ARGUMENT, "an attr is a tensor of more than 32 dimensions");
  }
  Input& view = tensors_.emplace_back(nullptr, *type, tensor);
  view.flags |= OPSRUN_TENSOR_CONST;
  list_.AddTensor(&view);
}

c10::IValue ValueOf(const opsrun_attr& attr) {
  if ((attr.kind & OPSRUN_ATTR_LIST) == 0) return ElementOf(attr, 0);
  c10::impl::GenericList list(ElementType(attr.kind));
  for (size_t i = 0; i < attr.count; ++i) {
    c10::IValue element = ElementOf(attr, i);
    if (element.isNone()) return {};
    list.push_back(std::move(element));
  }
  return list;
}

bool SameValue(const c10::IValue& a, const c10::IValue& b) {
  if (a.isInt() && b.isInt()) return a.toInt() == b.toInt();
  if (a.isNone() || b.isNone()) return a.isNone() && b.isNone();
  if (a.isDouble() && b.isDouble()) {
    const double x = a.toDouble(), y = b.toDouble();
    return std::memcmp(&x, &y, sizeof(x)) == 0;
  }
  if (a.isTensor() && b.isTensor()) return SameTensor(a.toTensor(), b.toTensor());
  if (a.isTensorList() && b.isTensorList()) {
    const c10::ArrayRef<c10::IValue> x = a.toListRef(), y = b.toListRef();
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), SameValue);
  }
  return a.tagKind() == b.tagKind() && a == b;
}

bool IsReadable(const at::Tensor& tensor) {
  return tensor.defined() && tensor.is_cpu() && tensor.layout() == c10::kStrided &&
         !tensor.key_set().has(c10::DispatchKey::Python) && !tensor.is_quantized();
}

c10::IValue Keep(const c10::IValue& value) {
  if (value.isTensor()) return PlainCopyOf(value.toTensor());
  if (!value.isTensorList()) return value;
  c10::List<at::Tensor> list;
  for (const at::Tensor& each : value.toTensorVector()) list.push_back(PlainCopyOf(each));
  return list;
}

}  // namespace opsrun_torch
