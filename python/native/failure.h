// python/native/failure.h: converts codes, reports and texts of the library for Python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numpy.h"
// After it, so that Python.h comes first.
#include <nanobind/nanobind.h>

#include "opsrun/embed.h"

namespace opsrun::python {

// Sets the exception of opsrun.errors for the code, with the messages of the report. Frees the report. Returns null.
PyObject* SetError(int32_t code, opsrun_report* report);

// Issues the warnings in the report of a successful call, and frees it. False if a warning became an exception.
bool IssueWarnings(opsrun_report* report);

// Paths and kernels' messages may contain bytes that are not UTF-8.
inline nanobind::object TextOf(opsrun_str text) {
  return nanobind::steal(PyUnicode_DecodeUTF8(text.data, static_cast<Py_ssize_t>(text.size), "surrogateescape"));
}

}  // namespace opsrun::python
