// opsrun_compat/summarize_attr_value.h: SummarizeAttrValue, an attr as text for messages, and AreAttrValuesEqual.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/strings.h"
#include "opsrun_compat/attr_value_util.h"
#include "opsrun_compat/str_util.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

OPSRUN_COLD inline std::string QuotedText(const std::string& text) {
  constexpr size_t kLongest = 80, kEnd = 10;
  if (text.size() < kLongest) return "\"" + str_util::CEscape(text) + "\"";
  return "\"" + str_util::CEscape(text.substr(0, kEnd)) + "..." + str_util::CEscape(text.substr(text.size() - kEnd)) +
         "\"";
}
OPSRUN_COLD inline std::string TextOfShape(const TensorShapeProto& shape) {
  return IsValid(shape) ? PartialTensorShape(shape).DebugString() : shape.ShortDebugString();
}

// From: AttrValue, or Nth of a list. Handles all kinds of values except functions, which SummarizeAttrValue handles.
template <typename From>
std::string TextOfAttr(AttrValue::ValueCase kind, const From& value) {
  switch (kind) {
    case AttrValue::kS:
      return QuotedText(value.s());
    case AttrValue::kI:
      return strings::StrCat(value.i());
    case AttrValue::kF:
      return strings::StrCat(value.f());
    case AttrValue::kB:
      return value.b() ? "true" : "false";
    case AttrValue::kType:
      return "DT_" + str_util::Uppercase(DataTypeString(value.type()));
    case AttrValue::kShape:
      return TextOfShape(value.shape());
    case AttrValue::kTensor:
      return value.tensor().ShortDebugString();
    default:
      return "<Unknown AttrValue type>";
  }
}

std::string TextOfFunction(const NameAttrList& function);

// Appends the `count` elements of a list, which are all of one kind.
inline void AddToText(AttrValue::ValueCase kind, const AttrValue::ListValue& list, int count,
                      std::vector<std::string>* pieces) {
  constexpr int kLongest = 10, kEnd = 5;
  for (int i = 0; i < count; ++i) {
    if (count > kLongest && i == kEnd) {
      pieces->push_back("...");
      i = count - kEnd;
    }
    pieces->push_back(kind == AttrValue::kFunc ? TextOfFunction(list.func(i)) : TextOfAttr(kind, Nth{list, i}));
  }
}
OPSRUN_COLD inline std::string TextOfList(const AttrValue::ListValue& list) {
  std::vector<std::string> pieces;
  AddToText(AttrValue::kS, list, list.s_size(), &pieces);
  AddToText(AttrValue::kI, list, list.i_size(), &pieces);
  AddToText(AttrValue::kF, list, list.f_size(), &pieces);
  AddToText(AttrValue::kB, list, list.b_size(), &pieces);
  AddToText(AttrValue::kType, list, list.type_size(), &pieces);
  AddToText(AttrValue::kShape, list, list.shape_size(), &pieces);
  AddToText(AttrValue::kTensor, list, list.tensor_size(), &pieces);
  AddToText(AttrValue::kFunc, list, list.func_size(), &pieces);
  return "[" + str_util::Join(pieces, ", ") + "]";
}

}  // namespace internal

// The value as text, for messages: 7, "text", DT_FLOAT, [2,?], [1, 2]. Long texts and lists are shortened.
OPSRUN_COLD inline std::string SummarizeAttrValue(const AttrValue& value) {
  if (value.has_list()) return internal::TextOfList(value.list());
  if (value.has_func()) return internal::TextOfFunction(value.func());
  return internal::TextOfAttr(value.value_case(), value);
}

namespace internal {

OPSRUN_COLD inline std::string TextOfFunction(const NameAttrList& function) {
  std::vector<std::string> pieces;
  for (const auto& attr : function.attr()) pieces.push_back(attr.first + "=" + SummarizeAttrValue(attr.second));
  std::sort(pieces.begin(), pieces.end());
  return function.name() + "[" + str_util::Join(pieces, ", ") + "]";
}

}  // namespace internal

// Whether both have the same kind of value and the same value.
inline bool AreAttrValuesEqual(const AttrValue& a, const AttrValue& b) {
  return a.value_case() == b.value_case() && a.SerializeAsString() == b.SerializeAsString();
}

}  // namespace OPSRUN_HIDDEN
