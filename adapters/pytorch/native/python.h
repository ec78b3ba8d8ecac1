// adapters/pytorch/native/python.h: Python's objects, of its stable C functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace opsrun_torch {

// Thrown when Python has recorded an exception.
struct PythonError : std::exception {};

inline PyObject* Checked(PyObject* object) {
  if (object == nullptr) throw PythonError();
  return object;
}

struct Unreference {
  void operator()(PyObject* object) const { Py_DECREF(object); }
};
using Object = std::unique_ptr<PyObject, Unreference>;

// Py_BuildValue; with "N", it takes over objects.
template <typename... Args>
Object Build(const char* format, Args... args) {
  return Object(Checked(Py_BuildValue(format, args...)));
}
inline Object Build(const std::string& text) {
  return Object(Checked(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()))));
}

// A list of fn(0) to fn(n - 1).
template <typename Fn>
Object ListOf(size_t n, Fn fn) {
  Object list(Checked(PyList_New(static_cast<Py_ssize_t>(n))));
  for (size_t i = 0; i < n; ++i) PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i), fn(i).release());
  return list;
}
template <typename T>
Object Numbers(const T* numbers, size_t n) {
  return ListOf(n, [&](size_t i) { return Build("L", static_cast<long long>(numbers[i])); });
}

// Throws PythonError unless the arguments have this format.
template <typename... Args>
void Parse(PyObject* args, const char* format, Args... results) {
  if (PyArg_ParseTuple(args, format, results...) == 0) throw PythonError();
}
template <typename Fn>
void ForEach(PyObject* list, Fn fn) {
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) fn(PyList_GetItem(list, i));
  if (PyErr_Occurred() != nullptr) throw PythonError();
}

// Lets other threads run Python.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  Unlocked(const Unlocked&) = delete;
  ~Unlocked() { PyEval_RestoreThread(state_); }

 private:
  PyThreadState* const state_;
};

}  // namespace opsrun_torch
