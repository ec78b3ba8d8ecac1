// opsrun/types.h: the names of C++ types, DataType, and the mapping between them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits.h>
#include <stdint.h>

#include <string>
#include <vector>

#include "opsrun/c_api.h"
#include "opsrun/float16.h"
#include "opsrun/float8.h"
#include "opsrun/internal/str_cat.h"
#include "opsrun/namespace.h"
#include "opsrun/resource_handle.h"
#include "opsrun/tstring.h"

// Declares std::complex without <complex>, which in libstdc++ includes <sstream> and takes a fifth of the compile time
// of a small plugin. A source that computes with complex numbers includes <complex> itself, or register_types.h.
#ifdef __GLIBCXX__
// clang-format off
namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
template <typename T> class complex;
_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std
// clang-format on
#else
#include <complex>
#endif

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class Variant;  // opsrun_compat/variant.h has it

typedef int8_t int8;
typedef int16_t int16;
typedef int32_t int32;
typedef long long int64;
typedef uint8_t uint8;
typedef uint16_t uint16;
typedef uint32_t uint32;
typedef unsigned long long uint64;
typedef std::string string;
typedef std::complex<float> complex64;
typedef std::complex<double> complex128;
#ifdef OPSRUN_EIGEN_IS_IN
typedef Eigen::bfloat16 bfloat16;
#else
typedef internal::BFloat16 bfloat16;
#endif

// Quantized numbers: the bytes of an integer, with a distinct type.
struct qint8 {
  int8 value;
};
struct quint8 {
  uint8 value;
};
struct qint16 {
  int16 value;
};
struct quint16 {
  uint16 value;
};
struct qint32 {
  int32 value;
};

constexpr int8 kint8min = INT8_MIN, kint8max = INT8_MAX;
constexpr int16 kint16min = INT16_MIN, kint16max = INT16_MAX;
constexpr int32 kint32min = INT32_MIN, kint32max = INT32_MAX;
constexpr int64 kint64min = LLONG_MIN, kint64max = LLONG_MAX;
constexpr uint8 kuint8max = UINT8_MAX;
constexpr uint16 kuint16max = UINT16_MAX;
constexpr uint32 kuint32max = UINT32_MAX;
constexpr uint64 kuint64max = ULLONG_MAX;

// All data types, in the order of their numbers: m(NAME, name in graphs, bytes per element, DLPack's type code, C++
// type), or n(...) for those without a C++ type of their own. Bytes are 0 for elements that are stored elsewhere or are
// smaller than a byte.
// clang-format off
#define OPSRUN_DATA_TYPES(m, n) \
  n(INVALID, "INVALID", 0, 0, void) \
  m(FLOAT, "float32", 4, 2, float) \
  m(DOUBLE, "float64", 8, 2, double) \
  m(INT32, "int32", 4, 0, int32) \
  m(UINT8, "uint8", 1, 1, uint8) \
  m(INT16, "int16", 2, 0, int16) \
  m(INT8, "int8", 1, 0, int8) \
  m(STRING, "string", 0, 0, tstring) \
  m(COMPLEX64, "complex64", 8, 5, complex64) \
  m(INT64, "int64", 8, 0, int64) \
  m(BOOL, "bool", 1, 6, bool) \
  m(QINT8, "qint8", 1, 0, qint8) \
  m(QUINT8, "quint8", 1, 1, quint8) \
  m(QINT32, "qint32", 4, 0, qint32) \
  n(BFLOAT16, "bfloat16", 2, 4, void) \
  m(QINT16, "qint16", 2, 0, qint16) \
  m(QUINT16, "quint16", 2, 1, quint16) \
  m(UINT16, "uint16", 2, 1, uint16) \
  m(COMPLEX128, "complex128", 16, 5, complex128) \
  n(HALF, "float16", 2, 2, void) \
  m(RESOURCE, "resource", 0, 0, ResourceHandle) \
  m(VARIANT, "variant", 0, 0, Variant) \
  m(UINT32, "uint32", 4, 1, uint32) \
  m(UINT64, "uint64", 8, 1, uint64) \
  m(FLOAT8_E5M2, "float8_e5m2", 1, 0, float8_e5m2) \
  m(FLOAT8_E4M3FN, "float8_e4m3fn", 1, 0, float8_e4m3fn) \
  m(FLOAT8_E4M3FNUZ, "float8_e4m3fnuz", 1, 0, float8_e4m3fnuz) \
  m(FLOAT8_E4M3B11FNUZ, "float8_e4m3b11fnuz", 1, 0, float8_e4m3b11fnuz) \
  m(FLOAT8_E5M2FNUZ, "float8_e5m2fnuz", 1, 0, float8_e5m2fnuz) \
  n(INT4, "int4", 0, 0, void) \
  n(UINT4, "uint4", 0, 0, void) \
  n(INT2, "int2", 0, 0, void) \
  n(UINT2, "uint2", 0, 0, void) \
  n(FLOAT4_E2M1FN, "float4_e2m1fn", 0, 0, void)
// clang-format on

enum DataType : int32_t {
#define OPSRUN_DATA_TYPE(NAME, name, bytes, dl_code, TYPE) DT_##NAME = OPSRUN_DT_##NAME,
  OPSRUN_DATA_TYPES(OPSRUN_DATA_TYPE, OPSRUN_DATA_TYPE)
#undef OPSRUN_DATA_TYPE
};

typedef std::vector<DataType> DataTypeVector;

// Where the elements of an input or output are stored.
enum MemoryType { DEVICE_MEMORY = 0, HOST_MEMORY = 1 };
typedef std::vector<MemoryType> MemoryTypeVector;

typedef std::string DeviceType;

constexpr const char* DEVICE_CPU = "CPU";
constexpr const char* DEVICE_GPU = "GPU";
constexpr const char* DEVICE_DEFAULT = "DEFAULT";  // every device for which the op has no other kernel

namespace internal {
struct DataTypeInfo {
  const char* name;
  int size;
  uint8_t dl_code;
};
constexpr DataTypeInfo kDataTypes[] = {
#define OPSRUN_DATA_TYPE(NAME, name, bytes, dl_code, TYPE) {name, bytes, dl_code},
    OPSRUN_DATA_TYPES(OPSRUN_DATA_TYPE, OPSRUN_DATA_TYPE)
#undef OPSRUN_DATA_TYPE
};
constexpr int kDataTypeCount = sizeof(kDataTypes) / sizeof(kDataTypes[0]);
}  // namespace internal

// The name in graphs and in messages of the host: "float32", "int32"; "DataType 99" for an unknown number.
OPSRUN_COLD inline std::string DataTypeName(DataType dtype) {
  if (dtype < 0 || dtype >= internal::kDataTypeCount) return internal::Format("DataType %d", static_cast<int>(dtype));
  return internal::kDataTypes[dtype].name;
}

// The name in TensorFlow's sources and in the strings of ops: "float", "int32".
OPSRUN_COLD inline std::string DataTypeString(DataType dtype) {
  if (dtype == DT_FLOAT) return "float";
  if (dtype == DT_DOUBLE) return "double";
  return dtype == DT_HALF ? "half" : DataTypeName(dtype);
}

// Bytes per element; 0 for strings, resources and variants, and for numbers smaller than a byte.
constexpr int DataTypeSize(DataType dtype) {
  return dtype < 0 || dtype >= internal::kDataTypeCount ? 0 : internal::kDataTypes[dtype].size;
}

// DataTypeToEnum<float>::value is DT_FLOAT. It does not compile for a type that tensors cannot hold.
template <typename T>
struct DataTypeToEnum;
// True for the types that a tensor can hold.
template <typename T>
struct IsValidDataType {
  static constexpr bool value = false;
};
// EnumToDataType<DT_FLOAT>::Type is float.
template <DataType kType>
struct EnumToDataType;

#define OPSRUN_MATCH_TYPE(TYPE, ENUM)               \
  template <>                                       \
  struct DataTypeToEnum<TYPE> {                     \
    static constexpr DataType value = ENUM;         \
    static constexpr DataType v() { return value; } \
  };                                                \
  template <>                                       \
  struct IsValidDataType<TYPE> {                    \
    static constexpr bool value = true;             \
  };
#define OPSRUN_MATCH_TYPE_AND_ENUM(NAME, name, bytes, dl_code, TYPE) \
  OPSRUN_MATCH_TYPE(TYPE, DT_##NAME)                                 \
  template <>                                                        \
  struct EnumToDataType<DT_##NAME> {                                 \
    typedef TYPE Type;                                               \
  };
#define OPSRUN_NO_TYPE(...)

OPSRUN_DATA_TYPES(OPSRUN_MATCH_TYPE_AND_ENUM, OPSRUN_NO_TYPE)
OPSRUN_MATCH_TYPE(internal::Half, DT_HALF)
OPSRUN_MATCH_TYPE(internal::BFloat16, DT_BFLOAT16)
// Both 64-bit integer types of C++ are element types.
OPSRUN_MATCH_TYPE(long, DT_INT64)
OPSRUN_MATCH_TYPE(unsigned long, DT_UINT64)
OPSRUN_MATCH_TYPE(std::string, DT_STRING)
#undef OPSRUN_MATCH_TYPE_AND_ENUM

// The types that kernels use for half and bfloat16.
#define OPSRUN_HALF ::OPSRUN_NAMESPACE::internal::Half
#define OPSRUN_BFLOAT16 ::OPSRUN_NAMESPACE::internal::BFloat16

static_assert(sizeof(long) == 8, "the opsrun SDK is for 64-bit targets");

}  // namespace OPSRUN_HIDDEN

#ifdef OPSRUN_EIGEN_IS_IN
#include "opsrun/internal/eigen_is_in.h"
#endif
