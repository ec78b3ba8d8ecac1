// python/native/op.h: an op as a Python function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numpy.h"

namespace opsrun::python {

// The type opsrun.Op. Op(slow, n_inputs): an op of so many inputs, none of which is a list; or -1. A call that looks
// like an earlier one, with plain arrays of the same types and shapes and the same keyword arguments, goes straight to
// what was prepared for that one. Every other call is slow(args, kwargs), which tells the op with _remember(...) what
// to do the next time. Attributes can be set, as on a function. Null after an exception.
PyTypeObject* OpType();

}  // namespace opsrun::python
