// opsrun/types.h: the names of C++ types, DataType, and the mapping between them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits.h>
#include <stdint.h>

#include <string>
#include <vector>

#include "opsrun/c_api.h"
#include "opsrun/float16.h"
#include "opsrun/float8.h"
#include "opsrun/internal/complex.h"
#include "opsrun/internal/str_cat.h"
#include "opsrun/namespace.h"
#include "opsrun/resource_handle.h"
#include "opsrun/tstring.h"

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

enum DataType : int32_t {
  DT_INVALID = OPSRUN_DT_INVALID,
  DT_FLOAT = OPSRUN_DT_FLOAT,
  DT_DOUBLE = OPSRUN_DT_DOUBLE,
  DT_INT32 = OPSRUN_DT_INT32,
  DT_UINT8 = OPSRUN_DT_UINT8,
  DT_INT16 = OPSRUN_DT_INT16,
  DT_INT8 = OPSRUN_DT_INT8,
  DT_STRING = OPSRUN_DT_STRING,
  DT_COMPLEX64 = OPSRUN_DT_COMPLEX64,
  DT_INT64 = OPSRUN_DT_INT64,
  DT_BOOL = OPSRUN_DT_BOOL,
  DT_QINT8 = OPSRUN_DT_QINT8,
  DT_QUINT8 = OPSRUN_DT_QUINT8,
  DT_QINT32 = OPSRUN_DT_QINT32,
  DT_BFLOAT16 = OPSRUN_DT_BFLOAT16,
  DT_QINT16 = OPSRUN_DT_QINT16,
  DT_QUINT16 = OPSRUN_DT_QUINT16,
  DT_UINT16 = OPSRUN_DT_UINT16,
  DT_COMPLEX128 = OPSRUN_DT_COMPLEX128,
  DT_HALF = OPSRUN_DT_HALF,
  DT_RESOURCE = OPSRUN_DT_RESOURCE,
  DT_VARIANT = OPSRUN_DT_VARIANT,
  DT_UINT32 = OPSRUN_DT_UINT32,
  DT_UINT64 = OPSRUN_DT_UINT64,
  DT_FLOAT8_E5M2 = OPSRUN_DT_FLOAT8_E5M2,
  DT_FLOAT8_E4M3FN = OPSRUN_DT_FLOAT8_E4M3FN,
  DT_FLOAT8_E4M3FNUZ = OPSRUN_DT_FLOAT8_E4M3FNUZ,
  DT_FLOAT8_E4M3B11FNUZ = OPSRUN_DT_FLOAT8_E4M3B11FNUZ,
  DT_FLOAT8_E5M2FNUZ = OPSRUN_DT_FLOAT8_E5M2FNUZ,
  DT_INT4 = OPSRUN_DT_INT4,
  DT_UINT4 = OPSRUN_DT_UINT4,
  DT_INT2 = OPSRUN_DT_INT2,
  DT_UINT2 = OPSRUN_DT_UINT2,
  DT_FLOAT4_E2M1FN = OPSRUN_DT_FLOAT4_E2M1FN,
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
};
constexpr DataTypeInfo kDataTypes[] = {
    {"INVALID", 0},
    {"float32", 4},
    {"float64", 8},
    {"int32", 4},
    {"uint8", 1},
    {"int16", 2},
    {"int8", 1},
    {"string", 0},
    {"complex64", 8},
    {"int64", 8},
    {"bool", 1},
    {"qint8", 1},
    {"quint8", 1},
    {"qint32", 4},
    {"bfloat16", 2},
    {"qint16", 2},
    {"quint16", 2},
    {"uint16", 2},
    {"complex128", 16},
    {"float16", 2},
    {"resource", 0},
    {"variant", 0},
    {"uint32", 4},
    {"uint64", 8},
    {"float8_e5m2", 1},
    {"float8_e4m3fn", 1},
    {"float8_e4m3fnuz", 1},
    {"float8_e4m3b11fnuz", 1},
    {"float8_e5m2fnuz", 1},
    {"int4", 0},
    {"uint4", 0},
    {"int2", 0},
    {"uint2", 0},
    {"float4_e2m1fn", 0},
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
#define OPSRUN_MATCH_TYPE_AND_ENUM(TYPE, ENUM) \
  OPSRUN_MATCH_TYPE(TYPE, ENUM)                \
  template <>                                  \
  struct EnumToDataType<ENUM> {                \
    typedef TYPE Type;                         \
  };

OPSRUN_MATCH_TYPE_AND_ENUM(float, DT_FLOAT)
OPSRUN_MATCH_TYPE_AND_ENUM(double, DT_DOUBLE)
OPSRUN_MATCH_TYPE_AND_ENUM(int32, DT_INT32)
OPSRUN_MATCH_TYPE_AND_ENUM(uint8, DT_UINT8)
OPSRUN_MATCH_TYPE_AND_ENUM(int16, DT_INT16)
OPSRUN_MATCH_TYPE_AND_ENUM(int8, DT_INT8)
OPSRUN_MATCH_TYPE_AND_ENUM(complex64, DT_COMPLEX64)
OPSRUN_MATCH_TYPE_AND_ENUM(bool, DT_BOOL)
OPSRUN_MATCH_TYPE_AND_ENUM(qint8, DT_QINT8)
OPSRUN_MATCH_TYPE_AND_ENUM(quint8, DT_QUINT8)
OPSRUN_MATCH_TYPE_AND_ENUM(qint32, DT_QINT32)
OPSRUN_MATCH_TYPE_AND_ENUM(qint16, DT_QINT16)
OPSRUN_MATCH_TYPE_AND_ENUM(quint16, DT_QUINT16)
OPSRUN_MATCH_TYPE_AND_ENUM(uint16, DT_UINT16)
OPSRUN_MATCH_TYPE_AND_ENUM(complex128, DT_COMPLEX128)
OPSRUN_MATCH_TYPE_AND_ENUM(uint32, DT_UINT32)
// Both 64-bit integer types of C++ are element types.
OPSRUN_MATCH_TYPE_AND_ENUM(long long, DT_INT64)
OPSRUN_MATCH_TYPE(long, DT_INT64)
OPSRUN_MATCH_TYPE_AND_ENUM(unsigned long long, DT_UINT64)
OPSRUN_MATCH_TYPE(unsigned long, DT_UINT64)
OPSRUN_MATCH_TYPE_AND_ENUM(tstring, DT_STRING)
OPSRUN_MATCH_TYPE(std::string, DT_STRING)
OPSRUN_MATCH_TYPE_AND_ENUM(ResourceHandle, DT_RESOURCE)
OPSRUN_MATCH_TYPE_AND_ENUM(Variant, DT_VARIANT)
OPSRUN_MATCH_TYPE_AND_ENUM(float8_e5m2, DT_FLOAT8_E5M2)
OPSRUN_MATCH_TYPE_AND_ENUM(float8_e4m3fn, DT_FLOAT8_E4M3FN)
OPSRUN_MATCH_TYPE_AND_ENUM(float8_e4m3fnuz, DT_FLOAT8_E4M3FNUZ)
OPSRUN_MATCH_TYPE_AND_ENUM(float8_e4m3b11fnuz, DT_FLOAT8_E4M3B11FNUZ)
OPSRUN_MATCH_TYPE_AND_ENUM(float8_e5m2fnuz, DT_FLOAT8_E5M2FNUZ)
OPSRUN_MATCH_TYPE(internal::Half, DT_HALF)
OPSRUN_MATCH_TYPE(internal::BFloat16, DT_BFLOAT16)
#undef OPSRUN_MATCH_TYPE_AND_ENUM

// The types that kernels use for half and bfloat16.
#define OPSRUN_HALF ::OPSRUN_NAMESPACE::internal::Half
#define OPSRUN_BFLOAT16 ::OPSRUN_NAMESPACE::internal::BFloat16

static_assert(sizeof(long) == 8, "the opsrun SDK is for 64-bit targets");

}  // namespace OPSRUN_HIDDEN

#ifdef OPSRUN_EIGEN_IS_IN
#include "opsrun/internal/eigen_types.h"
#endif
