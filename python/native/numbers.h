// python/native/numbers.h: numbers of Python as arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "numpy.h"

namespace opsrun::python {

// The array of a number of Python's: 'b' for bool, 'i' for int, 'f' for float. Null, without an exception, if the number is
// not one of the data type: that is for others to tell, or to do better.
PyObject* NumberArray(PyObject* number, char kind, int32_t dtype);

}  // namespace opsrun::python
