// host/show/tensor_json.h: types, shapes and values as JSON, for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/plan/resolution.h"
#include "host/yaml/value.h"

namespace opsrun::host {

using Json = nlohmann::ordered_json;

// {"dtype": "float32", "shape": [2, "?a", null]}. An unknown size is null, or a name if several tensors share it; the
// shape is null if not even the rank is known. Nulls for a null, whose type is unknown because of an error.
Json TypeJson(const ResolvedValue* value);

// {"argument": "x", "tensor": "products", "dtype": "float32", "shape": [2, 1]}
Json TensorJson(const std::string& argument, const std::string& tensor, const ResolvedValue* value);

// YAML as JSON. ".inf", "-.inf" and ".nan", which JSON cannot express, are strings, and a string that is not UTF-8 is
// {"base64": "/wB6"}.
Json ValueJson(const Value& value);

}  // namespace opsrun::host
