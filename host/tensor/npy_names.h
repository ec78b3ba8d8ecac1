// host/tensor/npy_names.h: the other names of NumPy's data types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opsrun::host {

// The code, "f4", of a name that numpy.dtype takes ("float32", "f", "single"), also those of NumPy 1 and of other
// machines; anything else as it is. What is a long in C has 8 bytes, as wherever opsrun runs.
std::string_view NpyCodeOf(std::string_view name);

}  // namespace opsrun::host
