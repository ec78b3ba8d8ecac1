// python/native/numbers.cc
// SPDX-License-Identifier: Apache-2.0
#include "numbers.h"

#include <cmath>
#include <limits>
#include <utility>

#include "opsrun/embed.h"

namespace opsrun::python {
namespace {

template <typename T>
PyObject* ArrayOf(int type_number, T value) {
  PyObject* const array = PyArray_SimpleNew(0, nullptr, type_number);
  if (array == nullptr) {
    PyErr_Clear();
    return nullptr;
  }
  *static_cast<T*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array))) = value;
  return array;
}

template <typename T>
PyObject* IntArrayOf(int type_number, long long value) {
  return std::in_range<T>(value) ? ArrayOf(type_number, static_cast<T>(value)) : nullptr;
}

// Accepts only integers that the type represents exactly; the slow path decides how to round others.
template <typename T>
PyObject* FloatArrayOfInt(int type_number, long long value) {
  constexpr long long kExact = 1LL << std::numeric_limits<T>::digits;
  return value >= -kExact && value <= kExact ? ArrayOf(type_number, static_cast<T>(value)) : nullptr;
}

constexpr struct {
  int32_t dtype;
  int type_number;
  PyObject* (*array_of)(int type_number, long long value);
} kTypes[] = {
    {OPSRUN_DT_INT8, NPY_INT8, IntArrayOf<int8_t>},         {OPSRUN_DT_INT16, NPY_INT16, IntArrayOf<int16_t>},
    {OPSRUN_DT_INT32, NPY_INT32, IntArrayOf<int32_t>},      {OPSRUN_DT_INT64, NPY_INT64, IntArrayOf<int64_t>},
    {OPSRUN_DT_UINT8, NPY_UINT8, IntArrayOf<uint8_t>},      {OPSRUN_DT_UINT16, NPY_UINT16, IntArrayOf<uint16_t>},
    {OPSRUN_DT_UINT32, NPY_UINT32, IntArrayOf<uint32_t>},   {OPSRUN_DT_UINT64, NPY_UINT64, IntArrayOf<uint64_t>},
    {OPSRUN_DT_FLOAT, NPY_FLOAT32, FloatArrayOfInt<float>}, {OPSRUN_DT_DOUBLE, NPY_FLOAT64, FloatArrayOfInt<double>},
};

PyObject* ArrayOfInt(long long value, int32_t dtype) {
  for (const auto& type : kTypes) {
    if (type.dtype == dtype) return type.array_of(type.type_number, value);
  }
  return nullptr;
}

}  // namespace

PyObject* NumberArray(PyObject* number, char kind, int32_t dtype) {
  if (kind == 'i') {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    return overflow == 0 ? ArrayOfInt(value, dtype) : nullptr;
  }
  if (kind == 'b') return dtype == OPSRUN_DT_BOOL ? ArrayOf<npy_bool>(NPY_BOOL, number == Py_True) : nullptr;
  const double value = PyFloat_AsDouble(number);
  if (dtype == OPSRUN_DT_DOUBLE) return ArrayOf(NPY_FLOAT64, value);
  const bool fits = !std::isfinite(value) || std::abs(value) <= std::numeric_limits<float>::max();
  return dtype == OPSRUN_DT_FLOAT && fits ? ArrayOf(NPY_FLOAT32, static_cast<float>(value)) : nullptr;
}

}  // namespace opsrun::python
