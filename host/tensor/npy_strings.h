// host/tensor/npy_strings.h: strings in .npy files: NumPy's 'S' (bytes) and 'U' (characters of four bytes).
//
// Both have one width for all elements and drop trailing NULs: a string that ends in one cannot be written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/base/status.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// How a file holds its strings.
struct NpyStrings {
  bool characters = false;  // 'U'
  size_t width = 0;         // bytes or characters of an element

  size_t bytes() const { return characters ? 4 * width : width; }
};

// The element of `bytes` bytes at `from`; `swapped`: its characters are in the other byte order. INVALID_ARGUMENT for
// what is no character.
Result<std::string> NpyStringFrom(const NpyStrings& form, const char* from, bool swapped);

// How the tensor is written: 'U' if all strings are UTF-8, else 'S'. INVALID_ARGUMENT for a string that NumPy would
// change.
Result<NpyStrings> NpyFormOf(const Tensor& strings);

// Appends the element to *to. Requires: `form` is that of its tensor.
void AppendNpyString(const NpyStrings& form, std::string_view text, std::string* to);

}  // namespace opsrun::host
