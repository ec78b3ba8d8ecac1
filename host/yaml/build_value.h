// host/yaml/build_value.h: trees of values that are made, not read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/yaml/value.h"

namespace opsrun::host {

Value PlainValue(std::string text, const Span& span = {});   // a number or a boolean
Value StringValue(std::string text, const Span& span = {});  // whatever it looks like
Value ListValue(const Span& span = {});
Value MapValue(const Span& span = {});

void AddEntry(Value& map, std::string key, Value value);

}  // namespace opsrun::host
