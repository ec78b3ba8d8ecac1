// python/native/numbers.cc
// SPDX-License-Identifier: Apache-2.0
#include "numbers.h"

#include <cmath>
#include <limits>
#include <type_traits>

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
  const bool fits = std::is_unsigned_v<T>
                        ? value >= 0 && static_cast<unsigned long long>(value) <= std::numeric_limits<T>::max()
                        : value >= static_cast<long long>(std::numeric_limits<T>::min()) &&
                              value <= static_cast<long long>(std::numeric_limits<T>::max());
  return fits ? ArrayOf(type_number, static_cast<T>(value)) : nullptr;
}

// Accepts only integers that the type represents exactly; the slow path decides how to round others.
template <typename T>
PyObject* FloatArrayOfInt(int type_number, long long value) {
  constexpr long long kExact = 1LL << std::numeric_limits<T>::digits;
  return value >= -kExact && value <= kExact ? ArrayOf(type_number, static_cast<T>(value)) : nullptr;
}

PyObject* ArrayOfInt(long long value, int32_t dtype) {
  switch (dtype) {
    case OPSRUN_DT_INT8:
      return IntArrayOf<int8_t>(NPY_INT8, value);
    case OPSRUN_DT_INT16:
      return IntArrayOf<int16_t>(NPY_INT16, value);
    case OPSRUN_DT_INT32:
      return IntArrayOf<int32_t>(NPY_INT32, value);
    case OPSRUN_DT_INT64:
      return IntArrayOf<int64_t>(NPY_INT64, value);
    case OPSRUN_DT_UINT8:
      return IntArrayOf<uint8_t>(NPY_UINT8, value);
    case OPSRUN_DT_UINT16:
      return IntArrayOf<uint16_t>(NPY_UINT16, value);
    case OPSRUN_DT_UINT32:
      return IntArrayOf<uint32_t>(NPY_UINT32, value);
    case OPSRUN_DT_UINT64:
      return IntArrayOf<uint64_t>(NPY_UINT64, value);
    case OPSRUN_DT_FLOAT:
      return FloatArrayOfInt<float>(NPY_FLOAT32, value);
    case OPSRUN_DT_DOUBLE:
      return FloatArrayOfInt<double>(NPY_FLOAT64, value);
    default:
      return nullptr;
  }
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
