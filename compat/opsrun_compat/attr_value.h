// opsrun_compat/attr_value.h: AttrValue and NameAttrList, the values of attrs as messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/types.h"
#include "opsrun_compat/proto_message.h"
#include "opsrun_compat/tensor_proto.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class AttrValue;

// The name of a function and its attrs.
class NameAttrList : public internal::ProtoMessage<NameAttrList> {
 public:
  OPSRUN_TEXT_FIELD(name)
  OPSRUN_MAP_FIELD(AttrValue, attr)

 private:
  OPSRUN_PROTO_FRIENDS

  template <typename Self, typename Fields>
  static void VisitFields(Self& self, Fields& fields) {
    fields.Field(1, "name", self.name_);
    fields.Field(2, "attr", self.attr_);
  }

  std::string name_;
  internal::Owned<protobuf::Map<std::string, AttrValue>> attr_;
};

// A list whose elements have one type.
class AttrValue_ListValue : public internal::ProtoMessage<AttrValue_ListValue> {
 public:
  OPSRUN_TEXTS_FIELD(s)
  OPSRUN_NUMBERS_FIELD(int64_t, i)
  OPSRUN_NUMBERS_FIELD(float, f)
  OPSRUN_NUMBERS_FIELD(bool, b)
  OPSRUN_NUMBERS_FIELD(DataType, type)
  OPSRUN_LIST_FIELD(TensorShapeProto, shape)
  OPSRUN_LIST_FIELD(TensorProto, tensor)
  OPSRUN_LIST_FIELD(NameAttrList, func)

 private:
  OPSRUN_PROTO_FRIENDS

  template <typename Self, typename Fields>
  static void VisitFields(Self& self, Fields& fields) {
    fields.Field(2, "s", self.s_);
    fields.Field(3, "i", self.i_);
    fields.Field(4, "f", self.f_);
    fields.Field(5, "b", self.b_);
    fields.Field(6, "type", self.type_);
    fields.Field(7, "shape", self.shape_);
    fields.Field(8, "tensor", self.tensor_);
    fields.Field(9, "func", self.func_);
  }

  protobuf::RepeatedPtrField<std::string> s_;
  protobuf::RepeatedField<int64_t> i_;
  protobuf::RepeatedField<float> f_;
  protobuf::RepeatedField<bool> b_;
  protobuf::RepeatedField<DataType> type_;
  protobuf::RepeatedPtrField<TensorShapeProto> shape_;
  protobuf::RepeatedPtrField<TensorProto> tensor_;
  protobuf::RepeatedPtrField<NameAttrList> func_;
};

// One value. Setting a field clears the others; value_case says which one is set.
class AttrValue : public internal::ProtoMessage<AttrValue> {
 public:
  typedef AttrValue_ListValue ListValue;
  enum ValueCase {
    VALUE_NOT_SET = 0,
    kList = 1,
    kS = 2,
    kI = 3,
    kF = 4,
    kB = 5,
    kType = 6,
    kShape = 7,
    kTensor = 8,
    kPlaceholder = 9,
    kFunc = 10,
  };

  ValueCase value_case() const { return case_; }
  OPSRUN_MESSAGE_CHOICE(ListValue, list, kList)
  OPSRUN_TEXT_CHOICE(s, kS)
  OPSRUN_NUMBER_CHOICE(int64_t, i, kI)
  OPSRUN_NUMBER_CHOICE(float, f, kF)
  OPSRUN_NUMBER_CHOICE(bool, b, kB)
  OPSRUN_NUMBER_CHOICE(DataType, type, kType)
  OPSRUN_MESSAGE_CHOICE(TensorShapeProto, shape, kShape)
  OPSRUN_MESSAGE_CHOICE(TensorProto, tensor, kTensor)
  OPSRUN_TEXT_CHOICE(placeholder, kPlaceholder)
  OPSRUN_MESSAGE_CHOICE(NameAttrList, func, kFunc)

 private:
  OPSRUN_PROTO_FRIENDS

  template <typename Self, typename Fields>
  static void VisitFields(Self& self, Fields& fields) {
    fields.Choice(1, "list", self, kList, self.list_);
    fields.Choice(2, "s", self, kS, self.s_);
    fields.Choice(3, "i", self, kI, self.i_);
    fields.Choice(4, "f", self, kF, self.f_);
    fields.Choice(5, "b", self, kB, self.b_);
    fields.Choice(6, "type", self, kType, self.type_);
    fields.Choice(7, "shape", self, kShape, self.shape_);
    fields.Choice(8, "tensor", self, kTensor, self.tensor_);
    fields.Choice(9, "placeholder", self, kPlaceholder, self.placeholder_);
    fields.Choice(10, "func", self, kFunc, self.func_);
  }

  void Choose(ValueCase one) {
    *this = AttrValue();
    case_ = one;
  }

  ValueCase case_ = VALUE_NOT_SET;
  internal::Owned<ListValue> list_;
  std::string s_;
  int64_t i_ = 0;
  float f_ = 0;
  bool b_ = false;
  DataType type_ = DT_INVALID;
  internal::Owned<TensorShapeProto> shape_;
  internal::Owned<TensorProto> tensor_;
  std::string placeholder_;
  internal::Owned<NameAttrList> func_;
};

typedef protobuf::Map<std::string, AttrValue> AttrValueMap;

}  // namespace OPSRUN_HIDDEN
