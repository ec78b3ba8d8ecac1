// host/spec/parse_arg.h: one input or output: "values: N * T", and the names of control outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/dtype.h"
#include "host/spec/op_def.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

// The offsets of the parts of an argument in its spec string, for carets. 0: it has no such part.
struct ArgPlaces {
  size_t count = 0;
  size_t type = 0;
};

// The error of the spec, or nothing. what: "Input" or "Output". attrs: those of the op; the type of one without a kind,
// which could not be parsed, is not checked.
std::optional<SpecError> ParseArg(const std::string& spec, const std::string& what, const std::vector<AttrDef>& attrs,
                                  ArgDef* arg, ArgPlaces* places);

std::optional<SpecError> ParseControlOutput(const std::string& spec, std::string* name);

// The words of the spec language for data types and for sets of them.
//
// Reference types (a tensor that is a variable) have the number of their base type plus 100. They occur only in op
// declarations and in the types of inputs and outputs that are declared Ref(..).

inline constexpr int32_t kRefOffset = 100;

bool IsRefType(DType dtype);        // of one of the 23 data types
DType RefType(DType dtype);         // the reference type of a data type
DType BaseType(DType dtype);        // the data type of a reference type; other values stay
std::string TypeText(DType dtype);  // NumPy's name; "float32_ref"

// "float", "float32", "float_ref".
std::optional<DType> TypeFromWord(std::string_view word);

// "DT_FLOAT", "DT_FLOAT_REF", "DT_INVALID".
std::optional<DType> TypeFromEnumWord(std::string_view word);

// "DT_FLOAT" for the result of TypeFromWord("float"). Requires: one of the 23, or its reference type.
std::string EnumWord(DType dtype);

// The members of "numbertype", "numerictype" (both 17), "realnumbertype", "realnumerictype" (both 12) and
// "quantizedtype" (5), in order of their numbers; null for another word.
const std::vector<DType>* TypeSetFromWord(std::string_view word);

// "numbertype", "realnumbertype" or "quantizedtype" if `types` are exactly these; otherwise empty.
std::string_view TypeSetWord(const std::vector<DType>& types);

// All words for one data type and all words for a set, for "did you mean".
const std::vector<std::string>& AllTypeWords();

}  // namespace opsrun::host::spec
