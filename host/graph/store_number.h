// host/graph/store_number.h: one number of a graph file as the bytes of one element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/base/dtype.h"
#include "host/base/status.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// What a number is without a dtype, by NumPy's rule: bool, int64, float64 or complex128. Nothing for what is no number.
std::optional<DType> NaturalDType(const Value& value);

// Converts the scalar and writes DTypeSize(dtype) bytes to `to`. INVALID_ARGUMENT with a sentence if it is no number of
// that type or does not fit: integers are never rounded or wrapped, floats are rounded but never to infinity. Requires:
// a feedable dtype.
Status StoreNumber(const Value& value, DType dtype, void* to);

}  // namespace opsrun::host
