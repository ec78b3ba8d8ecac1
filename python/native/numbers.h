// python/native/numbers.h: converts Python numbers to arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "numpy.h"

namespace opsrun::python {

// The array for a Python number; kind: 'b' for bool, 'i' for int, 'f' for float. Null, without an exception, if the
// number does not fit the data type; the caller then uses the slow path, which converts or reports it.
PyObject* NumberArray(PyObject* number, char kind, int32_t dtype);

}  // namespace opsrun::python
