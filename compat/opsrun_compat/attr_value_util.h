// opsrun_compat/attr_value_util.h: SetAttrValue, and conversion of AttrValues from the host's attrs and to C++ types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "opsrun/internal/attrs.h"
#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/tensor.h"
#include "opsrun/tensor_shape.h"
#include "opsrun/tstring.h"
#include "opsrun/types.h"
#include "opsrun_compat/attr_value.h"
#include "opsrun_compat/tensor_proto.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The kind of a C++ value, by the name of its field in AttrValue and ListValue. Read gets it from `value`, a One or the
// Nth of a list.
template <typename T, typename = void>
struct AttrField;

struct AttrFieldOfInt {
  static constexpr AttrValue::ValueCase kCase = AttrValue::kI;
  static int Count(const AttrValue::ListValue& list) { return list.i_size(); }
  static void Set(AttrValue* to, int64 value) { to->set_i(value); }
  static void Add(AttrValue::ListValue* to, int64 value) { to->add_i(value); }
  template <typename From, typename T>
  static bool Read(const From& from, T* value) {
    *value = static_cast<T>(from.i());
    return static_cast<int64_t>(*value) == from.i();
  }
};
template <typename T>
struct AttrField<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> : AttrFieldOfInt {};

template <typename T>
struct AttrField<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static constexpr AttrValue::ValueCase kCase = AttrValue::kF;
  static int Count(const AttrValue::ListValue& list) { return list.f_size(); }
  static void Set(AttrValue* to, T value) { to->set_f(static_cast<float>(value)); }
  static void Add(AttrValue::ListValue* to, T value) { to->add_f(static_cast<float>(value)); }
  template <typename From>
  static bool Read(const From& from, T* value) {
    *value = from.f();
    return true;
  }
};

template <>
struct AttrField<bool> {
  static constexpr AttrValue::ValueCase kCase = AttrValue::kB;
  static int Count(const AttrValue::ListValue& list) { return list.b_size(); }
  static void Set(AttrValue* to, bool value) { to->set_b(value); }
  static void Add(AttrValue::ListValue* to, bool value) { to->add_b(value); }
  template <typename From>
  static bool Read(const From& from, bool* value) {
    *value = from.b();
    return true;
  }
};

template <>
struct AttrField<DataType> {
  static constexpr AttrValue::ValueCase kCase = AttrValue::kType;
  static int Count(const AttrValue::ListValue& list) { return list.type_size(); }
  static void Set(AttrValue* to, DataType value) { to->set_type(value); }
  static void Add(AttrValue::ListValue* to, DataType value) { to->add_type(value); }
  template <typename From>
  static bool Read(const From& from, DataType* value) {
    *value = from.type();
    return true;
  }
};

// All text types.
template <typename T>
struct AttrField<T, std::enable_if_t<std::is_convertible_v<const T&, StringPiece>>> {
  static constexpr AttrValue::ValueCase kCase = AttrValue::kS;
  static int Count(const AttrValue::ListValue& list) { return list.s_size(); }
  static void Set(AttrValue* to, const T& value) { to->set_s(value); }
  static void Add(AttrValue::ListValue* to, const T& value) { to->add_s(value); }
  template <typename From>
  static bool Read(const From& from, T* value) {
    *value = from.s();
    return true;
  }
};

template <typename T>
struct AttrField<T, std::enable_if_t<std::is_same_v<T, TensorShape> || std::is_same_v<T, PartialTensorShape> ||
                                     std::is_same_v<T, TensorShapeProto>>> {
  static constexpr AttrValue::ValueCase kCase = AttrValue::kShape;
  static int Count(const AttrValue::ListValue& list) { return list.shape_size(); }
  static void Set(AttrValue* to, const T& value) { Convert(value, to->mutable_shape()); }
  static void Add(AttrValue::ListValue* to, const T& value) { Convert(value, to->add_shape()); }
  template <typename From>
  static bool Read(const From& from, T* value) {
    if constexpr (std::is_same_v<T, TensorShape>) {
      return IsValid(from.shape()) && PartialTensorShape(from.shape()).AsTensorShape(value);
    } else if constexpr (std::is_same_v<T, PartialTensorShape>) {
      if (!IsValid(from.shape())) return false;
      *value = from.shape();
      return true;
    } else {
      *value = from.shape();
      return true;
    }
  }

 private:
  static void Convert(const T& value, TensorShapeProto* to) {
    if constexpr (std::is_same_v<T, TensorShapeProto>) {
      *to = value;
    } else {
      ToProto(value, to);
    }
  }
};

template <typename T>
struct AttrField<T, std::enable_if_t<std::is_same_v<T, Tensor> || std::is_same_v<T, TensorProto>>> {
  static constexpr AttrValue::ValueCase kCase = AttrValue::kTensor;
  static int Count(const AttrValue::ListValue& list) { return list.tensor_size(); }
  static void Set(AttrValue* to, const T& value) { Convert(value, to->mutable_tensor()); }
  static void Add(AttrValue::ListValue* to, const T& value) { Convert(value, to->add_tensor()); }
  template <typename From>
  static bool Read(const From& from, T* value) {
    if constexpr (std::is_same_v<T, Tensor>) {
      return value->FromProto(from.tensor());
    } else {
      *value = from.tensor();
      return true;
    }
  }

 private:
  static void Convert(const T& value, TensorProto* to) {
    if constexpr (std::is_same_v<T, Tensor>) {
      value.AsProtoField(to);
    } else {
      *to = value;
    }
  }
};

template <>
struct AttrField<NameAttrList> {
  static constexpr AttrValue::ValueCase kCase = AttrValue::kFunc;
  static int Count(const AttrValue::ListValue& list) { return list.func_size(); }
  static void Set(AttrValue* to, const NameAttrList& value) { *to->mutable_func() = value; }
  static void Add(AttrValue::ListValue* to, const NameAttrList& value) { *to->add_func() = value; }
  template <typename From>
  static bool Read(const From& from, NameAttrList* value) {
    *value = from.func();
    return true;
  }
};

// Element i of a list, with the accessors of AttrValue.
struct Nth {
  const AttrValue::ListValue& list;
  int n;

  int64_t i() const { return list.i(n); }
  float f() const { return list.f(n); }
  bool b() const { return list.b(n); }
  DataType type() const { return list.type(n); }
  const std::string& s() const { return list.s(n); }
  const TensorShapeProto& shape() const { return list.shape(n); }
  const TensorProto& tensor() const { return list.tensor(n); }
  const NameAttrList& func() const { return list.func(n); }
};

// False: the value is of another kind, or out of range.
template <typename T>
bool FromAttrValue(const AttrValue& from, T* value) {
  return from.value_case() == AttrField<T>::kCase && AttrField<T>::Read(from, value);
}
// An empty list matches every kind of element.
template <typename T>
bool FromAttrValue(const AttrValue& from, std::vector<T>* values) {
  if (!from.has_list()) return false;
  values->clear();
  for (int i = 0; i < AttrField<T>::Count(from.list()); ++i) {
    T value{};
    if (!AttrField<T>::Read(Nth{from.list(), i}, &value)) return false;
    values->push_back(value);
  }
  return !values->empty() || from.list().ByteSizeLong() == 0;
}
// Pointers to messages inside of the AttrValue.
inline bool FromAttrValue(const AttrValue& from, const TensorProto** value) {
  *value = &from.tensor();
  return from.has_tensor();
}
inline bool FromAttrValue(const AttrValue& from, const NameAttrList** value) {
  *value = &from.func();
  return from.has_func();
}

template <typename T>
AttrValue ToAttrValue(const opsrun_attr& attr) {
  const auto element = [&attr](int64_t i) {
    T value{};
    AttrElement<T>::Get(attr, i, &value);
    return value;
  };
  AttrValue value;
  if ((attr.kind & OPSRUN_ATTR_LIST) == 0) {
    AttrField<T>::Set(&value, element(-1));
    return value;
  }
  AttrValue::ListValue* list = value.mutable_list();
  for (int64_t i = 0; i < static_cast<int64_t>(attr.count); ++i) AttrField<T>::Add(list, element(i));
  return value;
}

template <>
struct AttrElement<NameAttrList> {
  static constexpr uint32_t kKind = OPSRUN_ATTR_FUNC;
  static bool Get(const opsrun_attr& attr, int64_t i, NameAttrList* value) {
    std::string name;
    AttrElement<std::string>::Get(attr, i, &name);
    value->set_name(name);
    return true;
  }
};

// Converts an attr of the host.
template <typename Attr>
OPSRUN_COLD AttrValue ValueOf(const Attr& attr) {
  switch (attr.kind & ~OPSRUN_ATTR_LIST) {
    case OPSRUN_ATTR_INT:
      return ToAttrValue<int64>(attr);
    case OPSRUN_ATTR_FLOAT:
      return ToAttrValue<float>(attr);
    case OPSRUN_ATTR_BOOL:
      return ToAttrValue<bool>(attr);
    case OPSRUN_ATTR_STRING:
      return ToAttrValue<std::string>(attr);
    case OPSRUN_ATTR_TYPE:
      return ToAttrValue<DataType>(attr);
    case OPSRUN_ATTR_SHAPE:
      return ToAttrValue<TensorShapeProto>(attr);
    case OPSRUN_ATTR_TENSOR:
      return ToAttrValue<TensorProto>(attr);
    default:
      return ToAttrValue<NameAttrList>(attr);
  }
}

}  // namespace internal

// Stores a value: a number, a text, a type, a shape, a tensor, one of their messages, or a vector of one of these.
template <typename T>
void SetAttrValue(const T& value, AttrValue* to) {
  internal::AttrField<std::decay_t<const T>>::Set(to, value);
}
template <typename T>
void SetAttrValue(const std::vector<T>& values, AttrValue* to) {
  to->Clear();
  AttrValue::ListValue* list = to->mutable_list();
  for (const T& value : values) internal::AttrField<T>::Add(list, value);
}

}  // namespace OPSRUN_HIDDEN
