// adapters/pytorch/native/kept.h: Python exceptions on their way through PyTorch's stable ABI, which has no place for
// them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

struct _object;  // PyObject

namespace opsrun_torch {

// Keeps an exception, described by a text, until this thread raises it. Call it with the GIL.
void Keep(_object* problem, std::string text);
bool HasKept();
// Throws an exception that PyTorch turns into an object of this Python type: see SetKeptType.
[[noreturn]] void RaiseKept();
// Returns the exception that was raised, for the Python type, which makes it the object. Null if there is none.
_object* TakeKept();
void SetKeptType(_object* type);

}  // namespace opsrun_torch
