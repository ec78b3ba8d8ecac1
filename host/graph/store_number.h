// host/graph/store_number.h: converts a number of a graph file to the bytes of an element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/base/dtype.h"
#include "host/base/status.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// The data type of a number without a dtype, by NumPy's rule: bool, int64, float64 or complex128. Nothing if the value
// is not a number.
std::optional<DType> NaturalDType(const Value& value);

// Converts the scalar and writes DTypeSize(dtype) bytes to `to`. INVALID_ARGUMENT if it is not a number of that type or
// does not fit: integers are never rounded or wrapped, floats are rounded once, to the nearest, and never to infinity.
// Requires: a feedable dtype.
Status StoreNumber(const Value& value, DType dtype, void* to);

}  // namespace opsrun::host
