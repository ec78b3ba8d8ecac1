// python/native/text.h: converts texts of the library to Python strings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "opsrun/embed.h"

namespace opsrun::python {

// Paths and kernels' messages may contain bytes that are not UTF-8.
inline nanobind::object TextOf(opsrun_str text) {
  return nanobind::steal(PyUnicode_DecodeUTF8(text.data, static_cast<Py_ssize_t>(text.size), "surrogateescape"));
}

}  // namespace opsrun::python
