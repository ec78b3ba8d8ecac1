// python/native/op.h: an op as a Python function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numpy.h"

namespace opsrun::python {

// The type opsrun.Op. Op(slow, n_inputs): an op with that many inputs, none of which is a list; otherwise -1. A call
// that resembles an earlier one, with plain arrays of the same types and shapes and the same keyword arguments, uses
// what was prepared for that call. All others are forwarded to slow(args, kwargs), which calls _remember(...) to
// register the prepared op. Attributes can be set, as on a function. Null after an exception.
PyTypeObject* OpType();

}  // namespace opsrun::python
