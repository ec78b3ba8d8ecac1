// tests/vectors/element.h: numbers of a vectors file as elements of tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/dtype.h"
#include "tests/vectors/yaml_tree.h"

namespace opsrun::vectors {

// The bytes of one element; of a complex one, which is written [real, imaginary] or as a real number. Throws for a
// dtype without bytes.
std::string ElementOf(const Tree& number, host::DType dtype);

// The number whose bytes these are. Texts are equal where numbers are, and NaN is NaN.
std::string ElementText(const char* bytes, host::DType dtype);

}  // namespace opsrun::vectors
