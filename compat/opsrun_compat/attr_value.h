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

typedef protobuf::Map<std::string, AttrValue> AttrValueMap;

// The name of a function and its attrs.
class NameAttrList : public internal::ProtoMessage<NameAttrList> {
 public:
  OPSRUN_TEXT_FIELD(1, name)
  OPSRUN_MAP_FIELD(2, AttrValueMap, attr)
};

// A list whose elements have one type.
class AttrValue_ListValue : public internal::ProtoMessage<AttrValue_ListValue> {
 public:
  OPSRUN_TEXTS_FIELD(2, s)
  OPSRUN_NUMBERS_FIELD(3, int64_t, i)
  OPSRUN_NUMBERS_FIELD(4, float, f)
  OPSRUN_NUMBERS_FIELD(5, bool, b)
  OPSRUN_NUMBERS_FIELD(6, DataType, type)
  OPSRUN_MESSAGES_FIELD(7, TensorShapeProto, shape)
  OPSRUN_MESSAGES_FIELD(8, TensorProto, tensor)
  OPSRUN_MESSAGES_FIELD(9, NameAttrList, func)
};

// One value; value_case says which field is set. The cases are the numbers of the fields.
class AttrValue : public internal::ProtoOneof<AttrValue> {
 public:
  typedef AttrValue_ListValue ListValue;
  enum ValueCase { VALUE_NOT_SET, kList, kS, kI, kF, kB, kType, kShape, kTensor, kPlaceholder, kFunc };

  ValueCase value_case() const { return static_cast<ValueCase>(set_field_); }
  OPSRUN_OWNED_FIELD(1, ListValue, list)
  OPSRUN_TEXT_FIELD(2, s)
  OPSRUN_NUMBER_FIELD(3, int64_t, i)
  OPSRUN_NUMBER_FIELD(4, float, f)
  OPSRUN_NUMBER_FIELD(5, bool, b)
  OPSRUN_NUMBER_FIELD(6, DataType, type)
  OPSRUN_OWNED_FIELD(7, TensorShapeProto, shape)
  OPSRUN_OWNED_FIELD(8, TensorProto, tensor)
  OPSRUN_TEXT_FIELD(9, placeholder)
  OPSRUN_OWNED_FIELD(10, NameAttrList, func)
};

}  // namespace OPSRUN_HIDDEN
