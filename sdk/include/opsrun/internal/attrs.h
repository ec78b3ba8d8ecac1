// opsrun/internal/attrs.h: reads an attr of a node into a C++ value, for kernels' constructors and shape functions.
//
// ReadAttr returns NOT_FOUND if the attr does not exist, and INVALID_ARGUMENT if it is of another kind or out of range.
// The status blames the attr.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"
#include "opsrun/tensor_shape.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The attrs of a node, as c_api.h passes them.
struct AttrList {
  const opsrun_attr* attrs;
  uint32_t count;

  const opsrun_attr* Find(std::string_view name) const {
    for (uint32_t i = 0; i < count; ++i) {
      if (std::string_view(attrs[i].name.data, attrs[i].name.size) == name) return &attrs[i];
    }
    return nullptr;
  }
  OPSRUN_COLD std::string Names() const {
    std::string names;
    for (uint32_t i = 0; i < count; ++i) {
      if (i > 0) names += ", ";
      names.append(attrs[i].name.data, attrs[i].name.size);
    }
    return names.empty() ? "none" : names;
  }
};

OPSRUN_COLD inline std::string AttrKindName(uint32_t kind) {
  static constexpr const char* kNames[] = {"", "int", "float", "bool", "string", "type", "shape", "tensor", "func"};
  const uint32_t element = kind & ~OPSRUN_ATTR_LIST;
  const char* name = element <= OPSRUN_ATTR_FUNC ? kNames[element] : "unknown";
  return (kind & OPSRUN_ATTR_LIST) != 0 ? Format("list(%s)", name) : name;
}

OPSRUN_COLD inline Status FindAttr(const AttrList& list, std::string_view name, uint32_t kind,
                                   const opsrun_attr** attr) {
  *attr = list.Find(name);
  if (*attr == nullptr) {
    return Error(error::NOT_FOUND, "The op has no attr '%s' (it has: %s)", std::string(name).c_str(),
                 list.Names().c_str())
        .Blame("plugin");
  }
  if ((*attr)->kind != kind) {
    return Error(error::INVALID_ARGUMENT, "Attr '%s' is of kind %s; the kernel reads it as %s",
                 std::string(name).c_str(), AttrKindName((*attr)->kind).c_str(), AttrKindName(kind).c_str())
        .Blame("plugin");
  }
  return Status();
}

// How to read elements of a C++ type: kKind, and Get(attr, i), which reads element i of a list or, if i is -1, the
// single value.
template <typename T>
struct AttrElement;

template <typename T, uint32_t kAttrKind>
struct IntegerAttr {
  static constexpr uint32_t kKind = kAttrKind;
  static bool Get(const opsrun_attr& attr, int64_t i, T* value) {
    const int64_t number = i < 0 ? attr.v.i : attr.v.ints[i];
    *value = static_cast<T>(number);
    return static_cast<int64_t>(*value) == number;
  }
};
template <>
struct AttrElement<int> : IntegerAttr<int, OPSRUN_ATTR_INT> {};
template <>
struct AttrElement<long> : IntegerAttr<long, OPSRUN_ATTR_INT> {};
template <>
struct AttrElement<long long> : IntegerAttr<long long, OPSRUN_ATTR_INT> {};
template <>
struct AttrElement<unsigned> : IntegerAttr<unsigned, OPSRUN_ATTR_INT> {};
template <>
struct AttrElement<bool> : IntegerAttr<bool, OPSRUN_ATTR_BOOL> {};
template <>
struct AttrElement<DataType> : IntegerAttr<DataType, OPSRUN_ATTR_TYPE> {};

template <>
struct AttrElement<float> {
  static constexpr uint32_t kKind = OPSRUN_ATTR_FLOAT;
  static bool Get(const opsrun_attr& attr, int64_t i, float* value) {
    *value = static_cast<float>(i < 0 ? attr.v.f : attr.v.floats[i]);
    return true;
  }
};

template <typename T>
struct TextAttr {
  static constexpr uint32_t kKind = OPSRUN_ATTR_STRING;
  static bool Get(const opsrun_attr& attr, int64_t i, T* value) {
    const opsrun_str& text = i < 0 ? attr.v.s : attr.v.strs[i];
    value->assign(text.size == 0 ? "" : text.data, text.size);
    return true;
  }
};

template <>
struct AttrElement<std::string> : TextAttr<std::string> {};
template <>
struct AttrElement<tstring> : TextAttr<tstring> {};

template <>
struct AttrElement<PartialTensorShape> {
  static constexpr uint32_t kKind = OPSRUN_ATTR_SHAPE;
  static bool Get(const opsrun_attr& attr, int64_t i, PartialTensorShape* value) {
    const opsrun_partial& shape = attr.v.shapes[i < 0 ? 0 : i];
    *value = shape.rank < 0 ? PartialTensorShape() : PartialTensorShape(shape.dims, shape.rank);
    return true;
  }
};

template <>
struct AttrElement<TensorShape> {
  static constexpr uint32_t kKind = OPSRUN_ATTR_SHAPE;
  static bool Get(const opsrun_attr& attr, int64_t i, TensorShape* value) {
    PartialTensorShape shape;
    AttrElement<PartialTensorShape>::Get(attr, i, &shape);
    return shape.AsTensorShape(value);
  }
};

template <>
struct AttrElement<Tensor> {
  static constexpr uint32_t kKind = OPSRUN_ATTR_TENSOR;
  static bool Get(const opsrun_attr& attr, int64_t i, Tensor* value) {
    *value = Tensor::Copy(attr.v.tensors[i < 0 ? 0 : i]);
    return true;
  }
};

OPSRUN_COLD inline Status AttrDoesNotFit(std::string_view name) {
  return Error(error::INVALID_ARGUMENT, "The value of attr '%s' does not fit the C++ type it is read into",
               std::string(name).c_str())
      .Blame("attr:" + std::string(name));
}

template <typename T>
Status ReadAttr(const AttrList& list, std::string_view name, T* value) {
  const opsrun_attr* attr = nullptr;
  TF_RETURN_IF_ERROR(FindAttr(list, name, AttrElement<T>::kKind, &attr));
  return AttrElement<T>::Get(*attr, -1, value) ? Status() : AttrDoesNotFit(name);
}

template <typename T>
Status ReadAttr(const AttrList& list, std::string_view name, std::vector<T>* values) {
  const opsrun_attr* attr = nullptr;
  TF_RETURN_IF_ERROR(FindAttr(list, name, AttrElement<T>::kKind | OPSRUN_ATTR_LIST, &attr));
  values->clear();
  for (int64_t i = 0; i < static_cast<int64_t>(attr->count); ++i) {
    T value{};
    if (!AttrElement<T>::Get(*attr, i, &value)) return AttrDoesNotFit(name);
    values->push_back(value);
  }
  return Status();
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
