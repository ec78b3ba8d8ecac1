// host/tensor/npy_header.h: the first bytes of a .npy file: magic, version and a Python dict with data type, order and
// shape.
//
// Files are hostile: nothing in the header is believed before it was compared with the size of the file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/dtype.h"
#include "host/base/status.h"
#include "host/tensor/npy_dtype.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

struct NpyHeader : NpyDType {
  bool fortran_order = false;
  Shape shape;             // at most OPSRUN_MAX_RANK sizes, none negative
  size_t data_offset = 0;  // at most the file's size

  size_t element_bytes() const { return dtype == DType::kString ? strings.bytes() : DTypeSize(dtype); }
};

// Reads the header at the start of `file`. `as` says what "|V2" means. INVALID_ARGUMENT for a malformed header,
// UNIMPLEMENTED for a data type that opsrun does not have; the sentences begin with a verb, for a file's name before
// them.
Result<NpyHeader> ParseNpyHeader(std::string_view file, std::optional<DType> as);

// The status with the name of what it is about in front of its sentence.
Status Named(const std::string& name, const Status& status);

// The whole header, magic included, for dense row-major data that follows it at a multiple of 64 bytes.
std::string NpyHeaderText(const std::string& descr, const Shape& shape);

}  // namespace opsrun::host
