// host/tensor/npy_header.h: the header of a .npy file: magic, version and a Python dict with data type, order and
// shape.
//
// Files are untrusted: everything in the header is checked against the size of the file before it is used.
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

// Parses the header at the start of `file`. `as` determines the meaning of "|V2". INVALID_ARGUMENT for a malformed
// header, UNIMPLEMENTED for a data type that opsrun does not support; messages begin with a verb, so that the name of
// the file can precede them.
Result<NpyHeader> ParseNpyHeader(std::string_view file, std::optional<DType> as);

// Prepends `name` to the message.
Status Named(const std::string& name, const Status& status);

// The whole header, including the magic bytes, for dense row-major data that follows at a multiple of 64 bytes.
std::string NpyHeaderText(const std::string& descr, const Shape& shape);

}  // namespace opsrun::host
