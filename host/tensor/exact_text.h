// host/tensor/exact_text.h: numbers with all digits that tell them from their neighbors, as a graph file holds them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/tensor/tensor.h"

namespace opsrun::host {

// A decimal number, also where it is a whole one (2.0, since what is written as 2 is an integer); .nan, .inf, -.inf.
std::string ExactText(double number);
std::string ExactText(float number);

// Element i of a tensor of numbers or booleans.
std::string ExactText(const Tensor& tensor, int64_t i);

}  // namespace opsrun::host
