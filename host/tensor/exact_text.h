// host/tensor/exact_text.h: numbers with all digits that distinguish them from their neighbors, for graph files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/tensor/tensor.h"

namespace opsrun::host {

// A decimal number, even for an integral value (2.0, because 2 would be an integer); .nan, .inf, -.inf. Whoever reads
// the text of a double as a float gets what a conversion of the double gives, and the same float from the text of a
// float if a double is read first.
std::string ExactText(double number);
std::string ExactText(float number);

// Element i of a tensor of numbers or booleans.
std::string ExactText(const Tensor& tensor, int64_t i);

}  // namespace opsrun::host
