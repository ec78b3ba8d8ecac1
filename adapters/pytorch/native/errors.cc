// adapters/pytorch/native/errors.cc
// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include <c10/util/Exception.h>
#include <torch/csrc/Exceptions.h>

namespace opsrun_torch {
namespace {

struct OutOfMemory : torch::PyTorchError {
  using PyTorchError::PyTorchError;
  PyObject* python_type() override { return PyExc_MemoryError; }
};

// The messages of all errors, with what to do.
std::string TextOf(const opsrun_report* report) {
  std::string text;
  for (uint32_t i = 0; i < opsrun_report_count(report); ++i) {
    const opsrun_diagnostic& d = *opsrun_report_get(report, i);
    if (d.severity != OPSRUN_SEVERITY_ERROR) continue;
    text += (text.empty() ? "" : "\n") + Text(d.message);
    for (uint32_t k = 0; k < d.n_help; ++k) text += "; " + Text(d.help[k]);
  }
  return text;
}

}  // namespace

const char* CodeName(int32_t code) {
  static constexpr const char* kNames[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return code >= 0 && code <= 16 ? kNames[code] : kNames[OPSRUN_UNKNOWN];
}

void Raise(int32_t code, const std::string& text) {
  switch (code) {
    case OPSRUN_INVALID_ARGUMENT:
      C10_THROW_ERROR(ValueError, text);
    case OPSRUN_OUT_OF_RANGE:
      C10_THROW_ERROR(IndexError, text);
    case OPSRUN_UNIMPLEMENTED:
      C10_THROW_ERROR(NotImplementedError, text);
    case OPSRUN_RESOURCE_EXHAUSTED:
      throw OutOfMemory(text);
    default:
      C10_THROW_ERROR(Error, text);
  }
}

void Check(int32_t code, opsrun_report* report, const std::string& what) {
  if (code == OPSRUN_OK) return opsrun_report_free(report);
  std::string text = TextOf(report);
  opsrun_report_free(report);
  if (text.empty()) text = "no reason is known";
  Raise(code, what + " (" + CodeName(code) + "): " + text);
}

}  // namespace opsrun_torch
