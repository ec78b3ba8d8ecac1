// host/tensor/npy_dtype.h: data types as .npy headers spell them: "<f4", "|b1", ">c16".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/base/dtype.h"
#include "host/base/status.h"
#include "host/tensor/npy_strings.h"

namespace opsrun::host {

struct NpyDType {
  DType dtype = DType::kInvalid;
  bool swapped = false;  // bytes in the other order than this machine's
  NpyStrings strings;    // how strings are held
};

// `as` says what "|V2" (two bytes without a meaning) is, and which integers are quantized. UNIMPLEMENTED with a reason
// for what opsrun does not read.
Result<NpyDType> NpyDTypeFromDescr(std::string_view descr, std::optional<DType> as);

// Quantized types become the integers that they are, bfloat16 "|V2". Requires: DTypeSize(dtype) != 0.
std::string NpyDescr(DType dtype);
std::string NpyDescr(const NpyStrings& strings);  // "<U5", "|S5"

}  // namespace opsrun::host
