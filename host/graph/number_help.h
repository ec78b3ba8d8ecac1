// host/graph/number_help.h: what to write instead of what is not a number, or not one of the type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/dtype.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// A sentence for a value that StoreNumber refuses: people write numbers as in other languages (True, 1_000, nan, 0b11).
std::string NumberHelp(const Value& value, DType dtype);

// The number that an unquoted word means elsewhere, as a graph spells it: ".nan" for nan, "1000" for 1_000, "31" for
// 0X1F. Empty if there is none.
std::string NumberMeantBy(const std::string& word);

}  // namespace opsrun::host
