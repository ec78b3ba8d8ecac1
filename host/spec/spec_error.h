// host/spec/spec_error.h: an error in a spec string, and its message for the plugin's author.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace opsrun::host::spec {

// One error in one spec string.
struct SpecError {
  enum class Stage { kParse, kValidate };  // the string alone is invalid, or the op is
  enum class Kind {
    // of a string
    kName,
    kType,
    kListClose,
    kAllowedSeparator,
    kAllowedString,
    kAllowedType,
    kMinimum,
    kDefault,
    kTrailing,
    kTypeSyntax,
    kAttrNotAType,
    kUnknownAttr,
    kRefClose,
    kDocName,
    // of an op
    kOpName,
    kDuplicateName,
    kAttrNamedLikeType,
    kListMinimumNegative,
    kDefaultBelowMinimum,
    kDefaultNotAllowed,
    kWrongAttrKind,
    kNotAType,
    kRefTypeValue,
    kNoLengthAttr,
    kLengthAttrNotInt,
    kLengthMinimumNegative,
    kNumberAndList,
  };

  Stage stage = Stage::kParse;
  Kind kind = Kind::kName;
  std::string what;     // "Attr", "Input", "Output", "ControlOutput", "Doc", "op"
  std::string spec;     // the string at fault
  size_t offset = 0;    // of the character at fault in spec
  std::string message;  // a sentence
};

// The sentences of several errors, each with its spec string and a caret, for a message about a plugin.
std::string SpecErrorsText(const std::string& op, const std::vector<SpecError>& errors);

}  // namespace opsrun::host::spec
