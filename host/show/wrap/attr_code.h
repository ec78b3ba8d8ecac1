// host/show/wrap/attr_code.h: types and values of attrs in C++ and in Python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/spec/op_def.h"

namespace opsrun::host {

// A string literal, or an expression if the text contains a NUL.
std::string CppString(std::string_view text);

// "int64_t", "std::vector<std::string>".
std::string CppType(spec::AttrType type);
// True if variables of the type are passed by value and not moved.
bool IsCppNumber(spec::AttrType type);

// What initializes a variable of that type: "3", "{1, 2}". Empty for a tensor, which has no such text.
std::string CppInitializer(const spec::AttrValue& value);

// "Int", "Strings": the function of embed::Attr that makes such an attr.
std::string CppAttrFunction(spec::AttrType type);

// Keywords of C++, macros that headers or compilers define, and namespaces that users cannot define.
bool IsCppReserved(std::string_view word);

// Values of attrs in Python, as python/opsrun/_op_def.py shows them.

// "text" with escapes; a byte that is not UTF-8 becomes U+FFFD, as in JSON.
std::string PythonQuote(std::string_view text);

// A literal: 3, 1e-06, float("inf"), True, "text"; "float32" for a type, [2, -1] for a shape, None for a shape of
// unknown rank, ... for a tensor.
std::string PythonLiteral(const spec::AttrValue& value);

}  // namespace opsrun::host
