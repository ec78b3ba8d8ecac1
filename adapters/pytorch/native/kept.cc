// adapters/pytorch/native/kept.cc
// SPDX-License-Identifier: Apache-2.0
#include "kept.h"

#include <Python.h>

#include <utility>

#include "values.h"

namespace opsrun_torch {
namespace {

PyObject* kept_type = nullptr;

thread_local bool has_kept = false;  // not raised yet
thread_local PyObject* kept = nullptr;
thread_local std::string kept_text;

struct KeptError : torch::PyTorchError {
  explicit KeptError(std::string its_text) : text(std::move(its_text)) {}
  const char* what() const noexcept override { return text.c_str(); }
  PyObject* python_type() override { return kept_type; }
  std::string text;
};

}  // namespace

void Keep(PyObject* problem, std::string text) {
  Py_XDECREF(std::exchange(kept, Py_NewRef(problem)));
  kept_text = std::move(text);
  has_kept = true;
}

bool HasKept() {
  return has_kept;
}

void RaiseKept() {
  has_kept = false;
  throw KeptError(std::move(kept_text));
}

PyObject* TakeKept() {
  return std::exchange(kept, nullptr);
}

void SetKeptType(PyObject* type) {
  kept_type = Py_NewRef(type);
}

}  // namespace opsrun_torch
