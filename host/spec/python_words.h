// host/spec/python_words.h: names and values in Python's syntax.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/spec/attr_value.h"

namespace opsrun::host::spec {

// Keywords of Python 3.
bool IsPythonKeyword(std::string_view word);

// Keywords of Python 3 and 2, and builtins that begin with a capital letter or "__".
bool IsPythonReserved(std::string_view word);

// A literal: 3, 1e-06, float('inf'), True, "it\'s", float32, [2, -1], [1, 2]. "..." for a tensor.
std::string PythonText(const AttrValue& value);

}  // namespace opsrun::host::spec
