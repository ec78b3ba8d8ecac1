// opsrun_compat/summarize_attr_value.h: SummarizeAttrValue, an attr as text for messages, and AreAttrValuesEqual.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
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
// The text of what a field stores.
template <typename T>
std::string TextOf(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, DataType>) {
    return "DT_" + str_util::Uppercase(DataTypeString(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return QuotedText(value);
  } else if constexpr (std::is_same_v<T, TensorProto>) {
    return value.ShortDebugString();
  } else if constexpr (std::is_same_v<T, TensorShapeProto>) {
    return IsValid(value) ? PartialTensorShape(value).DebugString() : value.ShortDebugString();
  } else {
    return strings::StrCat(value);
  }
}
std::string TextOf(const NameAttrList& function);

// All elements are in one field.
OPSRUN_COLD inline std::string TextOf(const AttrValue::ListValue& list) {
  std::vector<std::string> pieces;
  ForEachField(list, [&pieces](const auto& field) {
    for (const auto& value : field) pieces.push_back(TextOf(value));
  });
  constexpr size_t kLongest = 10, kEnd = 5;
  if (pieces.size() > kLongest) {
    pieces.erase(pieces.begin() + kEnd, pieces.end() - kEnd);
    pieces.insert(pieces.begin() + kEnd, "...");
  }
  return "[" + str_util::Join(pieces, ", ") + "]";
}

struct TextOfAttr {
  template <typename T>
  void Field(int number, const char* /*name*/, const AttrValue& attr, const T& field) {
    if (attr.Has(number, field) && !attr.has_placeholder()) text = TextOf(StoredIn(field));
  }
  std::string text = "<Unknown AttrValue type>";
};

}  // namespace internal

// The value as text, for messages: 7, "text", DT_FLOAT, [2,?], [1, 2]. Long texts and lists are shortened.
OPSRUN_COLD inline std::string SummarizeAttrValue(const AttrValue& value) {
  internal::TextOfAttr visitor;
  AttrValue::VisitFields(value, visitor);
  return visitor.text;
}

namespace internal {

OPSRUN_COLD inline std::string TextOf(const NameAttrList& function) {
  std::vector<std::string> pieces;
  for (const auto& [name, value] : function.attr()) pieces.push_back(name + "=" + SummarizeAttrValue(value));
  std::sort(pieces.begin(), pieces.end());
  return function.name() + "[" + str_util::Join(pieces, ", ") + "]";
}

}  // namespace internal

// Whether both have the same kind of value and the same value.
inline bool AreAttrValuesEqual(const AttrValue& a, const AttrValue& b) {
  return a.value_case() == b.value_case() && a.SerializeAsString() == b.SerializeAsString();
}

}  // namespace OPSRUN_HIDDEN
