// tests/host/spec/kind_words.h: the words that cases use for kinds of mistakes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "host/spec/infer_attrs.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

inline constexpr std::pair<SpecError::Kind, const char*> kSpecErrorWords[] = {
    {SpecError::Kind::kName, "name"},
    {SpecError::Kind::kType, "type"},
    {SpecError::Kind::kListClose, "list_close"},
    {SpecError::Kind::kAllowedSeparator, "allowed_separator"},
    {SpecError::Kind::kAllowedString, "allowed_string"},
    {SpecError::Kind::kAllowedType, "allowed_type"},
    {SpecError::Kind::kMinimum, "minimum"},
    {SpecError::Kind::kDefault, "default"},
    {SpecError::Kind::kTrailing, "trailing"},
    {SpecError::Kind::kTypeSyntax, "type_syntax"},
    {SpecError::Kind::kAttrNotAType, "attr_not_a_type"},
    {SpecError::Kind::kUnknownAttr, "unknown_attr"},
    {SpecError::Kind::kRefClose, "ref_close"},
    {SpecError::Kind::kDocName, "doc_name"},
    {SpecError::Kind::kOpName, "op_name"},
    {SpecError::Kind::kDuplicateName, "duplicate_name"},
    {SpecError::Kind::kAttrNamedLikeType, "attr_named_like_type"},
    {SpecError::Kind::kListMinimumNegative, "list_minimum_negative"},
    {SpecError::Kind::kDefaultBelowMinimum, "default_below_minimum"},
    {SpecError::Kind::kDefaultNotAllowed, "default_not_allowed"},
    {SpecError::Kind::kWrongAttrKind, "wrong_attr_kind"},
    {SpecError::Kind::kNotAType, "not_a_type"},
    {SpecError::Kind::kRefTypeValue, "ref_type_value"},
    {SpecError::Kind::kNoLengthAttr, "no_length_attr"},
    {SpecError::Kind::kLengthAttrNotInt, "length_attr_not_int"},
    {SpecError::Kind::kLengthMinimumNegative, "length_minimum_negative"},
    {SpecError::Kind::kNumberAndList, "number_and_list"},
};

inline constexpr std::pair<InferError::Kind, const char*> kInferErrorWords[] = {
    {InferError::Kind::kWrongInputType, "wrong_input_type"}, {InferError::Kind::kInconsistentAttr, "inconsistent_attr"},
    {InferError::Kind::kListExpected, "list_expected"},      {InferError::Kind::kSingleExpected, "single_expected"},
    {InferError::Kind::kRefExpected, "ref_expected"},        {InferError::Kind::kTooFewInputs, "too_few_inputs"},
    {InferError::Kind::kTooManyInputs, "too_many_inputs"},   {InferError::Kind::kMissingAttr, "missing_attr"},
    {InferError::Kind::kBelowMinimum, "below_minimum"},      {InferError::Kind::kAboveMaximum, "above_maximum"},
    {InferError::Kind::kNotAllowed, "not_allowed"},          {InferError::Kind::kWrongAttrKind, "wrong_attr_kind"},
    {InferError::Kind::kUnknownAttr, "unknown_attr"},
};

template <typename Kind, size_t n>
std::string WordOf(Kind kind, const std::pair<Kind, const char*> (&words)[n]) {
  for (const auto& [known, word] : words) {
    if (known == kind) return word;
  }
  return "a kind without a word";
}

inline std::string Word(SpecError::Kind kind) {
  return WordOf(kind, kSpecErrorWords);
}
inline std::string Word(InferError::Kind kind) {
  return WordOf(kind, kInferErrorWords);
}
inline std::string Word(SpecError::Stage stage) {
  return stage == SpecError::Stage::kParse ? "parse" : "validate";
}

}  // namespace opsrun::host::spec
