// python/native/failure.h: converts codes and reports of the library to Python exceptions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numpy.h"
#include "opsrun/embed.h"

namespace opsrun::python {

// Sets the exception of opsrun.errors for the code, with the messages of the report. Frees the report. Returns null.
PyObject* SetError(int32_t code, opsrun_report* report);

// Issues the warnings in the report of a successful call, and frees it. False if a warning became an exception.
bool IssueWarnings(opsrun_report* report);

}  // namespace opsrun::python
