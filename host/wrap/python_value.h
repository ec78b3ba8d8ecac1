// host/wrap/python_value.h: values of attrs in Python, as python/opsrun/_op_help.py shows them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/spec/attr_value.h"

namespace opsrun::host {

// "text" with escapes; a byte that is not UTF-8 becomes U+FFFD, as in JSON.
std::string PythonQuote(std::string_view text);

// A literal: 3, 1e-06, float("inf"), True, "text", "float32" for a type, [2, -1] for a shape and None for an unknown
// rank,
// ... for a tensor.
std::string PythonLiteral(const spec::AttrValue& value);

}  // namespace opsrun::host
