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

}  // namespace

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

}  // namespace opsrun_torch

void opsrun_adapter::Throw(int32_t code, const std::string& text) {
  opsrun_torch::Raise(code, text + " (" + CodeName(code) + ")");
}
