// host/testing/array_difference.h: how an output differs from what a test expects.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/tensor/compare.h"

namespace opsrun::host {

// Empty if both have one data type and shape and all elements are within the tolerance. Else what differs: of elements
// how many, the worst one, and both arrays.
std::string DifferenceText(const std::string& name, const Tensor& found, const Tensor& expected,
                           const Tolerance& tolerance);

}  // namespace opsrun::host
