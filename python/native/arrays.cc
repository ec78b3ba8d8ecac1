// python/native/arrays.cc
// SPDX-License-Identifier: Apache-2.0
#include "arrays.h"

#include <nanobind/nanobind.h>
#include <sys/mman.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

namespace nb = nanobind;

namespace opsrun::python {
namespace {

struct Pair {
  int32_t dtype;
  int number;
};
constexpr Pair kPairs[] = {
    {OPSRUN_DT_FLOAT, NPY_FLOAT32},  {OPSRUN_DT_DOUBLE, NPY_FLOAT64},
    {OPSRUN_DT_INT32, NPY_INT32},    {OPSRUN_DT_INT64, NPY_INT64},
    {OPSRUN_DT_BOOL, NPY_BOOL},      {OPSRUN_DT_UINT8, NPY_UINT8},
    {OPSRUN_DT_INT8, NPY_INT8},      {OPSRUN_DT_INT16, NPY_INT16},
    {OPSRUN_DT_UINT16, NPY_UINT16},  {OPSRUN_DT_UINT32, NPY_UINT32},
    {OPSRUN_DT_UINT64, NPY_UINT64},  {OPSRUN_DT_COMPLEX64, NPY_COMPLEX64},
    {OPSRUN_DT_HALF, NPY_FLOAT16},   {OPSRUN_DT_COMPLEX128, NPY_COMPLEX128},
    {OPSRUN_DT_STRING, NPY_OBJECT},  {OPSRUN_DT_QINT8, NPY_INT8},
    {OPSRUN_DT_QUINT8, NPY_UINT8},   {OPSRUN_DT_QINT16, NPY_INT16},
    {OPSRUN_DT_QUINT16, NPY_UINT16}, {OPSRUN_DT_QINT32, NPY_INT32},
};

// Types from the package ml_dtypes, to which NumPy assigns numbers when it is imported.
struct Extra {
  int32_t dtype;
  const char* name;
  int number;
};
Extra extras[] = {
    {OPSRUN_DT_BFLOAT16, "bfloat16", -1},
    {OPSRUN_DT_FLOAT8_E5M2, "float8_e5m2", -1},
    {OPSRUN_DT_FLOAT8_E4M3FN, "float8_e4m3fn", -1},
    {OPSRUN_DT_FLOAT8_E4M3FNUZ, "float8_e4m3fnuz", -1},
    {OPSRUN_DT_FLOAT8_E4M3B11FNUZ, "float8_e4m3b11fnuz", -1},
    {OPSRUN_DT_FLOAT8_E5M2FNUZ, "float8_e5m2fnuz", -1},
};

int NumberOf(Extra& extra) {
  if (extra.number >= 0) return extra.number;
  const nb::object package = nb::steal(PyImport_ImportModule("ml_dtypes"));
  if (!package.is_valid() && PyErr_ExceptionMatches(PyExc_ModuleNotFoundError)) {
    PyErr_Format(PyExc_ImportError, "NumPy has no %s of its own: pip install ml_dtypes", extra.name);
  }
  if (!package.is_valid()) return -1;
  const nb::object type = nb::steal(PyObject_GetAttrString(package.ptr(), extra.name));
  PyArray_Descr* const descr = type.is_valid() ? PyArray_DescrFromTypeObject(type.ptr()) : nullptr;
  if (descr != nullptr) extra.number = descr->type_num;
  Py_XDECREF(descr);
  return extra.number;
}

// Only for arrays of a package that is already imported.
int32_t ExtraOf(PyArray_Descr* descr) {
  PyObject* const modules = PyImport_GetModuleDict();  // borrowed
  if (PyDict_GetItemString(modules, "ml_dtypes") == nullptr) return 0;
  for (Extra& extra : extras) {
    if (NumberOf(extra) == descr->type_num) return extra.dtype;
    PyErr_Clear();
  }
  return 0;
}

constexpr char kMemory[] = "opsrun.memory";
constexpr size_t kAlignment = 64;

// NumPy does the same for its arrays.
void UseLargePages(void* block, size_t size) {
#ifdef MADV_HUGEPAGE
  constexpr size_t kLarge = size_t{4} << 20, kPage = 4096;
  if (size < kLarge) return;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(block) + kPage - 1) / kPage * kPage;
  madvise(reinterpret_cast<void*>(begin), (reinterpret_cast<uintptr_t>(block) + size) / kPage * kPage - begin,
          MADV_HUGEPAGE);
#endif
}

void FreeMemory(PyObject* capsule) {
  std::free(PyCapsule_GetPointer(capsule, kMemory));
}

// The start of DLPack's struct: version, manager_ctx, deleter.
struct Managed {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
};

constexpr char kTensor[] = "opsrun.tensor";

void FreeTensor(DLManagedTensorVersioned* tensor) {
  reinterpret_cast<Managed*>(tensor)->deleter(tensor);
}

void FreeTensorOf(PyObject* capsule) {
  FreeTensor(static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, kTensor)));
}

// An array over the memory, which lives as long as the owner. Takes over the reference to the owner.
PyObject* Wrap(int number, int rank, const npy_intp* shape, void* data, PyObject* owner) {
  PyArray_Descr* const descr = PyArray_DescrFromType(number);
  PyObject* const array = PyArray_NewFromDescr(&PyArray_Type, descr, rank, const_cast<npy_intp*>(shape), nullptr, data,
                                               NPY_ARRAY_CARRAY, nullptr);
  if (array == nullptr || PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array), owner) != 0) {
    if (array == nullptr) Py_DECREF(owner);
    Py_XDECREF(array);
    return nullptr;
  }
  return array;
}

PyObject* TakeStrings(opsrun_out* out) {
  const opsrun_array& from = out->array;
  nb::object array = nb::steal(PyArray_SimpleNew(from.rank, reinterpret_cast<const npy_intp*>(from.shape), NPY_OBJECT));
  const auto* const texts = static_cast<const opsrun_str*>(from.data);
  auto* const made = reinterpret_cast<PyArrayObject*>(array.ptr());
  const npy_intp n = made == nullptr ? 0 : PyArray_SIZE(made);
  for (npy_intp i = 0; array.is_valid() && i < n; ++i) {
    PyObject* const text = PyBytes_FromStringAndSize(texts[i].data, static_cast<Py_ssize_t>(texts[i].size));
    if (text != nullptr) Py_XDECREF(std::exchange(static_cast<PyObject**>(PyArray_DATA(made))[i], text));
    if (text == nullptr) array.reset();
  }
  opsrun_outs_free(out, 1);
  return array.release().ptr();
}

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

int TypeNumber(int32_t dtype) {
  for (const Pair& pair : kPairs) {
    if (pair.dtype == dtype) return pair.number;
  }
  for (Extra& extra : extras) {
    if (extra.dtype == dtype) return NumberOf(extra);
  }
  PyErr_Format(PyExc_TypeError, "NumPy has no data type for opsrun's number %d", static_cast<int>(dtype));
  return -1;
}

int32_t DTypeOf(PyArray_Descr* descr) {
  switch (descr->type_num) {
    case NPY_STRING:
    case NPY_UNICODE:
      return OPSRUN_DT_STRING;
    case NPY_LONGLONG:  // NumPy has two numbers for int64
      return OPSRUN_DT_INT64;
    case NPY_ULONGLONG:
      return OPSRUN_DT_UINT64;
    default:
      break;
  }
  for (const Pair& pair : kPairs) {
    if (pair.number == descr->type_num) return pair.dtype;
  }
  return ExtraOf(descr);
}

// False after an exception: the array has another type or too many dimensions.
static bool CheckArray(PyArrayObject* array, int32_t dtype) {
  const int rank = PyArray_NDIM(array);
  if (rank > OPSRUN_MAX_RANK) {
    PyErr_Format(PyExc_ValueError, "an array has %d dimensions, and a tensor has at most %d", rank, OPSRUN_MAX_RANK);
    return false;
  }
  const int number = TypeNumber(dtype);
  if (number == PyArray_DESCR(array)->type_num) return true;
  if (number >= 0) PyErr_SetString(PyExc_TypeError, "an array is of another data type than the call");
  return false;
}

// NumPy treats any nonzero byte as true; C++ bools must be 0 or 1.
static void TakeBools(PyArrayObject* array, Input* input) {
  const auto* const bytes = static_cast<const unsigned char*>(PyArray_DATA(array));
  const auto n = static_cast<size_t>(PyArray_SIZE(array));
  uint64_t all = 0;
  size_t i = 0;
  for (uint64_t word = 0; i + sizeof(word) <= n; i += sizeof(word)) {
    std::memcpy(&word, bytes + i, sizeof(word));
    all |= word;
  }
  for (; i < n; ++i) all |= bytes[i];
  if ((all & ~uint64_t{0x0101010101010101}) == 0) return;
  input->bools.resize(n);
  for (i = 0; i < n; ++i) input->bools[i] = bytes[i] != 0;
  input->array.data = input->bools.data();
}

bool MakeInput(PyArrayObject* array, int32_t dtype, const npy_intp* shape, Input* input) {
  static_assert(sizeof(npy_intp) == sizeof(int64_t));
  opsrun_array& to = input->array;
  const int rank = PyArray_NDIM(array);
  if (shape == nullptr) {
    if (!CheckArray(array, dtype)) return false;
    input->shape.assign(PyArray_DIMS(array), PyArray_DIMS(array) + rank);
  }
  to.data = PyArray_DATA(array);
  to.shape = shape == nullptr ? input->shape.data() : reinterpret_cast<const int64_t*>(shape);
  to.rank = rank;
  to.dtype = dtype;
  if (dtype == OPSRUN_DT_BOOL) TakeBools(array, input);
  if (dtype != OPSRUN_DT_STRING) return true;
  const npy_intp n = PyArray_SIZE(array);
  auto* const texts = static_cast<PyObject**>(PyArray_DATA(array));
  input->strings.reserve(static_cast<size_t>(n));
  for (npy_intp i = 0; i < n; ++i) {
    if (texts[i] == nullptr || !PyBytes_Check(texts[i])) {
      PyErr_SetString(PyExc_TypeError, "an array of strings holds something that is not bytes");
      return false;
    }
    input->strings.push_back({PyBytes_AsString(texts[i]), static_cast<uint64_t>(PyBytes_Size(texts[i]))});
  }
  to.data = input->strings.data();
  return true;
}

PyObject* NewArray(int type_number, int rank, const npy_intp* shape) {
  PyArray_Descr* const descr = PyArray_DescrFromType(type_number);
  size_t size = static_cast<size_t>(PyDataType_ELSIZE(descr));
  Py_DECREF(descr);
  bool fits = true;
  for (int i = 0; i < rank; ++i) fits = !__builtin_mul_overflow(size, static_cast<size_t>(shape[i]), &size) && fits;
  // Not aligned_alloc, which is slow here because it splits and merges small blocks each time.
  void* const memory = fits && size <= SIZE_MAX - kAlignment ? std::malloc(size + kAlignment) : nullptr;
  if (memory == nullptr) return PyErr_NoMemory();
  void* const data =
      reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(memory) + kAlignment - 1) / kAlignment * kAlignment);
  UseLargePages(data, size);
  PyObject* const owner = PyCapsule_New(memory, kMemory, FreeMemory);
  if (owner == nullptr) {
    std::free(memory);
    return nullptr;
  }
  return Wrap(type_number, rank, shape, data, owner);
}

PyObject* TakeResult(opsrun_out* out) {
  const opsrun_array& from = out->array;
  if (from.dtype == OPSRUN_DT_STRING) return TakeStrings(out);
  const int number = TypeNumber(from.dtype);
  PyObject* const owner = number < 0 ? nullptr : PyCapsule_New(out->tensor, kTensor, FreeTensorOf);
  if (owner == nullptr) {
    opsrun_outs_free(out, 1);
    return nullptr;
  }
  out->tensor = nullptr;
  const auto* const shape = reinterpret_cast<const npy_intp*>(from.shape);
  return Wrap(number, from.rank, shape, from.data, owner);
}

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
