// host/spec/type_words.h: words of the spec language for data types and for sets of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/dtype.h"

namespace opsrun::host::spec {

// The number of a reference type (a tensor that is a variable) is that of its base type plus 100. Reference types occur
// only in declarations and in the types of inputs and outputs that are declared as Ref(..).

inline constexpr int32_t kRefOffset = 100;

bool IsRefType(DType dtype);        // true for a reference type
DType RefType(DType dtype);         // the reference type of a data type
DType BaseType(DType dtype);        // the data type of a reference type; other values are unchanged
std::string TypeText(DType dtype);  // NumPy's name; "float32_ref" for a reference type

// "float", "float32", "float_ref".
std::optional<DType> TypeFromWord(std::string_view word);

// "DT_FLOAT", "DT_FLOAT_REF", "DT_INVALID".
std::optional<DType> TypeFromEnumWord(std::string_view word);

// "DT_FLOAT" for the result of TypeFromWord("float"). Requires: a data type, or its reference type.
std::string EnumWord(DType dtype);

// The members of "numbertype", "numerictype" (both 17), "realnumbertype", "realnumerictype" (both 12) and
// "quantizedtype" (5), ordered by number; null for other words.
const std::vector<DType>* TypeSetFromWord(std::string_view word);

// "numbertype", "realnumbertype" or "quantizedtype" if `types` are exactly its members; otherwise empty.
std::string_view TypeSetWord(const std::vector<DType>& types);

// All words for data types and for sets of them, for "did you mean".
const std::vector<std::string>& AllTypeWords();

}  // namespace opsrun::host::spec
