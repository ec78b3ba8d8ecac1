// host/tensor/npy_header.h: the header of a .npy file: magic, version and a Python dict with data type, order and
// shape.
//
// Files are untrusted: everything in the header is checked against the size of the file before it is used. Data types
// are spelled "<f4", "|b1", ">c16"; the string types are 'S' (bytes) and 'U' (characters of four bytes). Both have one
// width for all elements and drop trailing NULs, so a string that ends in NUL cannot be written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/dtype.h"
#include "host/base/status.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// How a file stores strings.
struct NpyStrings {
  bool characters = false;  // 'U'
  size_t width = 0;         // bytes or characters of an element

  size_t bytes() const { return characters ? 4 * width : width; }
};

struct NpyDType {
  DType dtype = DType::kInvalid;
  bool swapped = false;  // not in the byte order of this machine
  NpyStrings strings;
};

// `as` determines the meaning of "|V1" and "|V2" (one or two opaque bytes), and which integers are quantized.
// UNIMPLEMENTED, with a reason, for types that opsrun does not support.
Result<NpyDType> NpyDTypeFromDescr(std::string_view descr, std::optional<DType> as);

// Quantized types are written as their integers, bfloat16 as "|V2", float8 types as "|V1". Requires: DTypeSize(dtype)
// != 0.
std::string NpyDescr(DType dtype);
std::string NpyDescr(const NpyStrings& strings);  // "<U5", "|S5"

// The string of the element at `from`. swapped: its characters are in the other byte order. INVALID_ARGUMENT for an
// invalid character.
Result<std::string> NpyStringFrom(const NpyStrings& form, const char* from, bool swapped);

// How to write the tensor: 'U' if all strings are UTF-8, else 'S'. INVALID_ARGUMENT for a string that NumPy would
// change.
Result<NpyStrings> NpyFormOf(const Tensor& strings);

// Appends the element to *to. Requires: `form` is the result of NpyFormOf for its tensor.
void AppendNpyString(const NpyStrings& form, std::string_view text, std::string* to);

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
