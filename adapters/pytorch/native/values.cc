// adapters/pytorch/native/values.cc
// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/List.h>
#include <ATen/core/jit_type.h>
#include <c10/util/Exception.h>
#include <torch/csrc/Exceptions.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

void opsrun_adapter::Throw(int32_t code, const std::string& text) {
  opsrun_torch::Raise(code, text + " (" + CodeName(code) + ")");
}

namespace opsrun_torch {
namespace {

using c10::ScalarType;
using opsrun_adapter::FloatOf;
using opsrun_adapter::IntOf;
using opsrun_adapter::StrOf;

struct OutOfMemory : torch::PyTorchError {
  using PyTorchError::PyTorchError;
  PyObject* python_type() override { return PyExc_MemoryError; }
};

constexpr TypeNumbers kTypes[] = {
    {ScalarType::Float, OPSRUN_DT_FLOAT, {2, 32, 1}},
    {ScalarType::Double, OPSRUN_DT_DOUBLE, {2, 64, 1}},
    {ScalarType::Half, OPSRUN_DT_HALF, {2, 16, 1}},
    {ScalarType::BFloat16, OPSRUN_DT_BFLOAT16, {4, 16, 1}},
    {ScalarType::Int, OPSRUN_DT_INT32, {0, 32, 1}},
    {ScalarType::Long, OPSRUN_DT_INT64, {0, 64, 1}},
    {ScalarType::Short, OPSRUN_DT_INT16, {0, 16, 1}},
    {ScalarType::Char, OPSRUN_DT_INT8, {0, 8, 1}},
    {ScalarType::Byte, OPSRUN_DT_UINT8, {1, 8, 1}},
    {ScalarType::UInt16, OPSRUN_DT_UINT16, {1, 16, 1}},
    {ScalarType::UInt32, OPSRUN_DT_UINT32, {1, 32, 1}},
    {ScalarType::UInt64, OPSRUN_DT_UINT64, {1, 64, 1}},
    {ScalarType::Bool, OPSRUN_DT_BOOL, {6, 8, 1}},
    {ScalarType::ComplexFloat, OPSRUN_DT_COMPLEX64, {5, 64, 1}},
    {ScalarType::ComplexDouble, OPSRUN_DT_COMPLEX128, {5, 128, 1}},
    {ScalarType::Float8_e5m2, OPSRUN_DT_FLOAT8_E5M2, {12, 8, 1}},
    {ScalarType::Float8_e4m3fn, OPSRUN_DT_FLOAT8_E4M3FN, {10, 8, 1}},
    {ScalarType::Float8_e4m3fnuz, OPSRUN_DT_FLOAT8_E4M3FNUZ, {11, 8, 1}},
    {ScalarType::Float8_e5m2fnuz, OPSRUN_DT_FLOAT8_E5M2FNUZ, {13, 8, 1}},
};

// Indexed by PyTorch's number of the type, for fast lookups in calls.
constexpr auto kByTorch = [] {
  std::array<const TypeNumbers*, 64> types{};
  for (const TypeNumbers& type : kTypes) types[static_cast<size_t>(type.torch)] = &type;
  return types;
}();

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

bool SameTensor(const at::Tensor& a, const at::Tensor& b) {
  if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  const at::Tensor x = IsPlain(a) ? a : PlainCopyOf(a), y = IsPlain(b) ? b : PlainCopyOf(b);
  return x.nbytes() == 0 || std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

}  // namespace

void Raise(int32_t code, const std::string& text) {
  switch (code) {
    case OPSRUN_INVALID_ARGUMENT:
      C10_THROW_ERROR(ValueError, text);
    case OPSRUN_OUT_OF_RANGE:
      C10_THROW_ERROR(IndexError, text);
    case OPSRUN_UNIMPLEMENTED:
      C10_THROW_ERROR(NotImplementedError, text);
    case OPSRUN_RESOURCE_EXHAUSTED:
      throw OutOfMemory(text);
    default:
      C10_THROW_ERROR(Error, text);
  }
}

const TypeNumbers* FindType(ScalarType type) {
  const auto number = static_cast<size_t>(type);
  return number < kByTorch.size() ? kByTorch[number] : nullptr;
}

const TypeNumbers* FindType(int32_t dtype) {
  const auto* const found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeNumbers& type) { return type.opsrun == dtype; });
  return found == std::end(kTypes) ? nullptr : found;
}

// clone() materializes lazy conjugation and negation.
at::Tensor PlainCopyOf(const at::Tensor& tensor) {
  const at::AutoDispatchBelowADInplaceOrView guard;
  return tensor.clone(at::MemoryFormat::Contiguous).resolve_conj().resolve_neg();
}

at::Tensor NewTensor(const TypeNumbers& type, c10::IntArrayRef sizes) {
  return at::Tensor(at::detail::empty_cpu(sizes, type.torch));
}

at::Tensor CopyOf(const void* data, const TypeNumbers& type, c10::IntArrayRef sizes) {
  at::Tensor copy = NewTensor(type, sizes);
  if (copy.nbytes() > 0) std::memcpy(copy.data_ptr(), data, copy.nbytes());
  return copy;
}

AttrValues::AttrValues(const std::vector<AttrSpec>& specs, c10::ArrayRef<c10::IValue> values) {
  for (size_t i = 0; i < specs.size(); ++i) {
    if (values[i].isNone()) continue;
    const uint32_t kind = opsrun_adapter::KindOf(specs[i].type);
    Begin(specs[i].name, kind);
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
      return AddInt(value.toInt());
    case OPSRUN_ATTR_FLOAT:
      return AddFloat(value.toDouble());
    case OPSRUN_ATTR_BOOL:
      return AddInt(static_cast<int64_t>(value.toBool()));
    case OPSRUN_ATTR_TYPE:
      return AddInt(TypeNumber(value));
    case OPSRUN_ATTR_SHAPE:
      return AddShape(value.toIntVector());
    case OPSRUN_ATTR_TENSOR:
      return AddTensor(value.toTensor());
    default:
      return AddText(value.toStringRef());
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
    Raise(OPSRUN_INVALID_ARGUMENT, "an attr is a tensor of more than 64 dimensions");
  }
  Input& view = tensors_.emplace_back(nullptr, *type, tensor);
  view.flags |= OPSRUN_TENSOR_CONST;
  AttrList::AddTensor(&view);
}

c10::IValue ValueOf(const opsrun_attr& attr, const c10::TypePtr& type) {
  if ((attr.kind & OPSRUN_ATTR_LIST) == 0) return ElementOf(attr, 0);
  const auto optional = type->cast<c10::OptionalType>();
  const c10::TypePtr list_type = optional == nullptr ? type : optional->getElementType();
  c10::impl::GenericList list(list_type->expectRef<c10::ListType>().getElementType());
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
