// host/tensor/print.h: tensors as text, in NumPy's format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/tensor/tensor.h"

namespace opsrun::host {

// What str() of the same NumPy array prints: aligned columns, lines of at most 75 characters, precision 8, more than
// 1,000 elements summarized with "...". No line break at the end.
std::string PrintTensor(const Tensor& tensor);

// One element, printed alone; strings are quoted.
std::string ElementText(const Tensor& tensor, int64_t place);

}  // namespace opsrun::host
