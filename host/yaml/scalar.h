// host/yaml/scalar.h: YAML 1.2 core scalars.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/yaml/value.h"

namespace opsrun::host {

// Each returns nothing if the value is not such a scalar. Quoted scalars are always strings.
std::optional<bool> AsBool(const Value& value);           // true, True, TRUE, false, False, FALSE
std::optional<int64_t> AsInt(const Value& value);         // decimal, 0x, 0o; must fit int64
std::optional<uint64_t> AsUint(const Value& value);       // the same up to 2^64 - 1
std::optional<double> AsFloat(const Value& value);        // also .inf, -.inf, .nan, and integers
std::optional<std::string> AsString(const Value& value);  // quoted, or plain and none of the above
std::optional<std::string> AsBytes(const Value& value);   // a string, or bytes that are not text

// Parse plain text: an integer as AsUint reads it; .inf, -.inf and .nan.
std::optional<uint64_t> ParseUint(std::string_view text);
std::optional<double> ParseSpecial(std::string_view text);

}  // namespace opsrun::host
