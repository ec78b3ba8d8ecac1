// tests/host/spec/kind_words.h: the words that cases use for kinds of mistakes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "host/spec/infer_attrs.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

template <typename Kind>
std::string WordOf(Kind kind, std::initializer_list<std::pair<Kind, const char*>> words) {
  for (const auto& [known, word] : words) {
    if (known == kind) return word;
  }
  return "";
}

inline std::string Word(SpecError::Kind kind) {
  using enum SpecError::Kind;
  return WordOf(kind, {std::pair(kName, "name"), std::pair(kType, "type"), std::pair(kListClose, "list_close"),
                       std::pair(kAllowedSeparator, "allowed_separator"), std::pair(kAllowedString, "allowed_string"),
                       std::pair(kAllowedType, "allowed_type"), std::pair(kMinimum, "minimum"),
                       std::pair(kDefault, "default"), std::pair(kTrailing, "trailing"),
                       std::pair(kTypeSyntax, "type_syntax"), std::pair(kAttrNotAType, "attr_not_a_type"),
                       std::pair(kUnknownAttr, "unknown_attr"), std::pair(kRefClose, "ref_close"),
                       std::pair(kDocName, "doc_name")}) +
         WordOf(kind,
                {std::pair(kOpName, "op_name"), std::pair(kDuplicateName, "duplicate_name"),
                 std::pair(kAttrNamedLikeType, "attr_named_like_type"),
                 std::pair(kListMinimumNegative, "list_minimum_negative"),
                 std::pair(kDefaultBelowMinimum, "default_below_minimum"),
                 std::pair(kDefaultNotAllowed, "default_not_allowed"), std::pair(kWrongAttrKind, "wrong_attr_kind"),
                 std::pair(kNotAType, "not_a_type"), std::pair(kRefTypeValue, "ref_type_value"),
                 std::pair(kNoLengthAttr, "no_length_attr"), std::pair(kLengthAttrNotInt, "length_attr_not_int"),
                 std::pair(kLengthMinimumNegative, "length_minimum_negative"),
                 std::pair(kNumberAndList, "number_and_list")});
}

inline std::string Word(InferError::Kind kind) {
  using enum InferError::Kind;
  return WordOf(kind, {std::pair(kWrongInputType, "wrong_input_type"),
                       std::pair(kInconsistentAttr, "inconsistent_attr"), std::pair(kListExpected, "list_expected"),
                       std::pair(kSingleExpected, "single_expected"), std::pair(kRefExpected, "ref_expected"),
                       std::pair(kTooFewInputs, "too_few_inputs"), std::pair(kTooManyInputs, "too_many_inputs"),
                       std::pair(kMissingAttr, "missing_attr"), std::pair(kBelowMinimum, "below_minimum"),
                       std::pair(kAboveMaximum, "above_maximum"), std::pair(kNotAllowed, "not_allowed"),
                       std::pair(kWrongAttrKind, "wrong_attr_kind"), std::pair(kUnknownAttr, "unknown_attr")});
}

inline std::string Word(SpecError::Stage stage) {
  return stage == SpecError::Stage::kParse ? "parse" : "validate";
}

}  // namespace opsrun::host::spec
