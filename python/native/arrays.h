// python/native/arrays.h: NumPy arrays and Python numbers as inputs of the library, and its outputs as NumPy arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "numpy.h"
#include "opsrun/embed.h"

namespace opsrun::python {

// The NumPy type number for an opsrun data type; -1 and an exception if there is none: ImportError if it needs
// ml_dtypes, which is not installed; otherwise TypeError.
int TypeNumber(int32_t dtype);
// The opsrun data type of an array's elements; 0 if there is none. Text and Python objects are strings.
int32_t DTypeOf(PyArray_Descr* descr);

// True if functions can use the array in place: row-major, aligned, native byte order.
inline bool IsPlainArray(PyObject* object) {
  if (!PyArray_CheckExact(object)) return false;
  auto* const array = reinterpret_cast<PyArrayObject*>(object);
  return PyArray_IS_C_CONTIGUOUS(array) && PyArray_ISALIGNED(array) && PyArray_ISNOTSWAPPED(array);
}

// An input made from an array, which must outlive it. strings: used for arrays of bytes objects. bools: used for arrays
// of bools with bytes other than 0 and 1.
struct Input {
  opsrun_array array = {};
  std::vector<int64_t> shape;
  std::vector<opsrun_str> strings;
  std::vector<unsigned char> bools;
};
// False after an exception. dtype: that of the call. shape: a copy of the array's shape if both were compared with
// those of a prepared call; otherwise null. It must outlive the input. A copy is needed because another thread may
// reshape the array during the call.
bool MakeInput(PyArrayObject* array, int32_t dtype, const npy_intp* shape, Input* input);

// An output whose shape is known before the call: a new array that owns its memory. Null after an exception.
PyObject* NewArray(int type_number, int rank, const npy_intp* shape);

// The array of a result; takes over what *out owns, even on failure. Null after an exception.
PyObject* TakeResult(opsrun_out* out);

// The array for a Python number; kind: 'b' for bool, 'i' for int, 'f' for float. Null, without an exception, if the
// number does not fit the data type; the caller then uses the slow path, which converts or reports it.
PyObject* NumberArray(PyObject* number, char kind, int32_t dtype);

}  // namespace opsrun::python
