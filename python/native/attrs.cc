// python/native/attrs.cc
// SPDX-License-Identifier: Apache-2.0
#include "attrs.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "arrays.h"

namespace opsrun::python {
namespace {

uint32_t KindOf(std::string_view type) {
  constexpr std::pair<std::string_view, uint32_t> kKinds[] = {
      {"int", OPSRUN_ATTR_INT},   {"float", OPSRUN_ATTR_FLOAT},  {"bool", OPSRUN_ATTR_BOOL},
      {"type", OPSRUN_ATTR_TYPE}, {"shape", OPSRUN_ATTR_SHAPE},  {"tensor", OPSRUN_ATTR_TENSOR},
      {"func", OPSRUN_ATTR_FUNC}, {"string", OPSRUN_ATTR_STRING}};
  for (const auto& [name, kind] : kKinds) {
    if (name == type) return kind;
  }
  return 0;
}

}  // namespace

bool Attrs::Take(PyObject* given) {
  const Py_ssize_t n = PySequence_Size(given);
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* const item = PySequence_GetItem(given, i);
    PyObject *name = nullptr, *value = nullptr;
    const char* type = nullptr;
    const bool ok =
        item != nullptr && PyArg_ParseTuple(item, "UsO", &name, &type, &value) && TakeOne(name, type, value);
    Py_XDECREF(item);
    if (!ok) return false;
  }
  return n >= 0;
}

bool Attrs::TakeOne(PyObject* name, const char* type, PyObject* value) {
  std::string_view word = type;
  const bool list = word.size() > 6 && word.substr(0, 5) == "list(" && word.back() == ')';
  if (list) word = word.substr(5, word.size() - 6);
  const uint32_t kind = KindOf(word);
  if (kind == 0) {
    PyErr_Format(PyExc_TypeError, "attr %R has the unknown type %s", name, type);
    return false;
  }
  Elements& elements = elements_.emplace_back();
  if (list) {
    const Py_ssize_t n = PySequence_Size(value);
    if (n < 0) return false;
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* const item = PySequence_GetItem(value, i);
      const bool ok = item != nullptr && Add(kind, item, &elements);
      Py_XDECREF(item);
      if (!ok) return false;
    }
  } else if (!Add(kind, value, &elements)) {
    return false;
  }
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(name, &size);
  if (text == nullptr) return false;
  opsrun_attr attr = {};
  attr.name = Keep(text, size);
  attr.kind = kind | (list ? OPSRUN_ATTR_LIST : 0);
  switch (kind) {
    case OPSRUN_ATTR_FLOAT:
      attr.count = elements.floats.size();
      if (list) attr.v.floats = elements.floats.data();
      if (!list) attr.v.f = elements.floats[0];
      break;
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      attr.count = elements.strs.size();
      if (list) attr.v.strs = elements.strs.data();
      if (!list) attr.v.s = elements.strs[0];
      break;
    case OPSRUN_ATTR_SHAPE:
      attr.count = elements.shapes.size();
      attr.v.shapes = elements.shapes.data();
      break;
    case OPSRUN_ATTR_TENSOR:
      attr.count = elements.tensors.size();
      attr.v.tensors = elements.tensors.data();
      break;
    default:
      attr.count = elements.ints.size();
      if (list) attr.v.ints = elements.ints.data();
      if (!list) attr.v.i = elements.ints[0];
  }
  attrs_.push_back(attr);
  return true;
}

bool Attrs::Add(uint32_t kind, PyObject* value, Elements* to) {
  switch (kind) {
    case OPSRUN_ATTR_FLOAT: {
      const double number = PyFloat_AsDouble(value);
      to->floats.push_back(number);
      return !(number == -1 && PyErr_Occurred() != nullptr);
    }
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC: {
      char* data = nullptr;
      Py_ssize_t size = 0;
      if (PyBytes_AsStringAndSize(value, &data, &size) != 0) return false;
      to->strs.push_back(Keep(data, size));
      return true;
    }
    case OPSRUN_ATTR_SHAPE:
      return AddShape(value, to);
    case OPSRUN_ATTR_TENSOR:
      return AddTensor(value, to);
    default: {
      const long long number = PyLong_AsLongLong(value);
      to->ints.push_back(number);
      return !(number == -1 && PyErr_Occurred() != nullptr);
    }
  }
}

bool Attrs::AddShape(PyObject* value, Elements* to) {
  if (value == Py_None) {
    to->shapes.push_back({-1, 0, nullptr});
    return true;
  }
  std::vector<int64_t>& sizes = sizes_.emplace_back();
  const Py_ssize_t n = PySequence_Size(value);
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* const item = PySequence_GetItem(value, i);
    const long long size = item == nullptr ? -1 : PyLong_AsLongLong(item);
    Py_XDECREF(item);
    if (size == -1 && PyErr_Occurred() != nullptr) return false;
    sizes.push_back(size);
  }
  if (n < 0) return false;
  to->shapes.push_back({static_cast<int32_t>(n), 0, sizes.data()});
  return true;
}

// value: a plain array; its strings are bytes objects. It must outlive the attrs.
bool Attrs::AddTensor(PyObject* value, Elements* to) {
  if (!IsPlainArray(value)) {
    PyErr_SetString(PyExc_TypeError, "the value of an attr of type tensor is not a plain array");
    return false;
  }
  auto* const array = reinterpret_cast<PyArrayObject*>(value);
  Input input;
  const int32_t dtype = DTypeOf(PyArray_DESCR(array));
  if (!MakeInput(array, dtype, nullptr, &input)) return false;
  opsrun_tensor& tensor = tensors_.emplace_back();
  tensor = {};
  tensor.data = input.array.data;
  if (dtype == OPSRUN_DT_STRING) {
    tensor.data = slots_.emplace_back(std::move(input.strings)).data();
  }
  std::vector<int64_t>& shape = sizes_.emplace_back(input.array.shape, input.array.shape + input.array.rank);
  tensor.rank = input.array.rank;
  tensor.shape = shape.empty() ? nullptr : shape.data();
  std::vector<int64_t>& strides = sizes_.emplace_back(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  tensor.strides = strides.empty() ? nullptr : strides.data();
  tensor.flags = OPSRUN_TENSOR_CONST | OPSRUN_TENSOR_HOST;
  tensor.dtype = dtype;
  to->tensors.push_back(&tensor);
  return true;
}

opsrun_str Attrs::Keep(const char* data, Py_ssize_t size) {
  const std::string& text = texts_.emplace_back(data, static_cast<size_t>(size));
  return {text.data(), text.size()};
}

}  // namespace opsrun::python
