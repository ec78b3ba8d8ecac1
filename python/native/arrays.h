// python/native/arrays.h: NumPy arrays as inputs of the library, and its outputs as NumPy arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "numpy.h"
#include "opsrun/embed.h"

namespace opsrun::python {

// The NumPy number of the elements of an opsrun data type, or -1, and an exception: ImportError if it needs ml_dtypes,
// which is not installed; TypeError if NumPy has none.
int TypeNumber(int32_t dtype);
// The data type of an array's elements, or 0 if opsrun has none. Texts and Python objects are strings.
int32_t DTypeOf(PyArray_Descr* descr);

// What a function may see of an input: row-major, aligned, in the byte order of the machine.
inline bool IsPlainArray(PyObject* object) {
  if (!PyArray_CheckExact(object)) return false;
  auto* const array = reinterpret_cast<PyArrayObject*>(object);
  return PyArray_IS_C_CONTIGUOUS(array) && PyArray_ISALIGNED(array) && PyArray_ISNOTSWAPPED(array);
}

// An input that is being made of an array, which must outlive it. strings: for an array of bytes objects. bools: for an
// array of bools of which some are other bytes than 0 and 1.
struct Input {
  opsrun_array array = {};
  std::vector<int64_t> shape;
  std::vector<opsrun_str> strings;
  std::vector<unsigned char> bools;
};
// False after an exception. dtype: that of the call. shape: that of the array, if it was compared with what the call is
// prepared for, as was its data type; or null. It must live as long as the input: that of the array itself need not,
// since another thread may give the array another one during the call.
bool MakeInput(PyArrayObject* array, int32_t dtype, const npy_intp* shape, Input* input);

// An output whose shape is known before the call: memory that a new array owns. Null after an exception.
PyObject* NewArray(int type_number, int rank, const npy_intp* shape);

// The array of a result, which takes over what *out owns. Null after an exception; *out then owns nothing either.
PyObject* TakeResult(opsrun_out* out);

}  // namespace opsrun::python
