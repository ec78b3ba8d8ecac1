// host/base/dtype.h: the data types, by number, name and size.
//
// The numbers are the contract's OPSRUN_DT_*. Graph files and messages use NumPy's names (float32, int64, bool,
// complex64 ...; bfloat16, string, qint8 ... where NumPy has none); the guide's names (float, double, half) are
// understood.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opsrun/c_api.h"

namespace opsrun::host {

using DType = int32_t;  // OPSRUN_DT_*

// "float32" for OPSRUN_DT_FLOAT; "dtype 99" for a number that is none.
std::string DTypeName(DType dtype);

// The number of a NumPy or guide name ("float32", "float", "half"), of an alias of the spec language ("float64"), or of
// an enum word
// ("DT_FLOAT"). Nothing for any other text.
std::optional<DType> DTypeFromName(std::string_view name);

// Bytes of one element; 0 for string, resource, variant and for what is no data type.
size_t DTypeSize(DType dtype);

// Bytes that one element takes in a tensor's memory: DTypeSize, or the size of a slot: 16 for string, 8 for resource. 0
// for variant and for what is no data type: there is no such tensor.
size_t ElementBytes(DType dtype);
// Can a tensor of it be fed, printed and written to a file?
inline bool HasValues(DType dtype) {
  return dtype != OPSRUN_DT_RESOURCE && ElementBytes(dtype) != 0;
}
// Are the elements slots, which own what they point at?
inline bool HasSlots(DType dtype) {
  return dtype == OPSRUN_DT_STRING || dtype == OPSRUN_DT_RESOURCE;
}

bool IsDType(DType dtype);  // 1 to 23

opsrun_dldtype DTypeToDLPack(DType dtype);

// The names that a graph file may use for a tensor that it feeds, for messages.
const std::vector<std::string>& FeedableDTypeNames();

}  // namespace opsrun::host
