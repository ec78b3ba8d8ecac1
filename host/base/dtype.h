// host/base/dtype.h: the data types, by number, name and size.
//
// The values are those of OPSRUN_DT_* in c_api.h. Graph files and messages use NumPy's names (float32, int64, bool,
// complex64 ...; bfloat16, string, qint8 ... where NumPy has none); the guide's names (float, double, half) are also
// accepted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opsrun/c_api.h"

namespace opsrun::host {

enum class DType : int32_t {
  kInvalid = OPSRUN_DT_INVALID,
  kFloat32 = OPSRUN_DT_FLOAT,
  kFloat64 = OPSRUN_DT_DOUBLE,
  kInt32 = OPSRUN_DT_INT32,
  kUInt8 = OPSRUN_DT_UINT8,
  kInt16 = OPSRUN_DT_INT16,
  kInt8 = OPSRUN_DT_INT8,
  kString = OPSRUN_DT_STRING,
  kComplex64 = OPSRUN_DT_COMPLEX64,
  kInt64 = OPSRUN_DT_INT64,
  kBool = OPSRUN_DT_BOOL,
  kQInt8 = OPSRUN_DT_QINT8,
  kQUInt8 = OPSRUN_DT_QUINT8,
  kQInt32 = OPSRUN_DT_QINT32,
  kBFloat16 = OPSRUN_DT_BFLOAT16,
  kQInt16 = OPSRUN_DT_QINT16,
  kQUInt16 = OPSRUN_DT_QUINT16,
  kUInt16 = OPSRUN_DT_UINT16,
  kComplex128 = OPSRUN_DT_COMPLEX128,
  kFloat16 = OPSRUN_DT_HALF,
  kResource = OPSRUN_DT_RESOURCE,
  kVariant = OPSRUN_DT_VARIANT,
  kUInt32 = OPSRUN_DT_UINT32,
  kUInt64 = OPSRUN_DT_UINT64,
  kFloat8E5M2 = OPSRUN_DT_FLOAT8_E5M2,
  kFloat8E4M3FN = OPSRUN_DT_FLOAT8_E4M3FN,
  kFloat8E4M3FNUZ = OPSRUN_DT_FLOAT8_E4M3FNUZ,
  kFloat8E4M3B11FNUZ = OPSRUN_DT_FLOAT8_E4M3B11FNUZ,
  kFloat8E5M2FNUZ = OPSRUN_DT_FLOAT8_E5M2FNUZ,
  kInt4 = OPSRUN_DT_INT4,
  kUInt4 = OPSRUN_DT_UINT4,
  kInt2 = OPSRUN_DT_INT2,
  kUInt2 = OPSRUN_DT_UINT2,
  kFloat4E2M1FN = OPSRUN_DT_FLOAT4_E2M1FN,
};

// Conversions from and to the numbers of the C interface. The number can have any value; check the result with IsDType.
// A number out of range becomes kInvalid.
constexpr DType DTypeFromNumber(int64_t number) {
  return std::in_range<int32_t>(number) ? static_cast<DType>(number) : DType::kInvalid;
}
constexpr int32_t DTypeNumber(DType dtype) {
  return static_cast<int32_t>(dtype);
}

constexpr bool IsDType(DType dtype) {  // one of the 33; false for kInvalid
  return dtype >= DType::kFloat32 && dtype <= DType::kFloat4E2M1FN;
}

// All 33, in the order of their numbers.
inline constexpr auto kAllDTypes = [] {
  std::array<DType, OPSRUN_DT_FLOAT4_E2M1FN> all{};
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<DType>(i + 1);
  return all;
}();

// "float32" for kFloat32; "dtype 99" for an invalid value.
std::string DTypeName(DType dtype);
// The same without allocation. Requires: IsDType.
std::string_view DTypeWord(DType dtype);

// The data type of a NumPy or guide name ("float32", "float", "half"), of an alias of the spec language ("float64"), or
// of an enum word ("DT_FLOAT"). Nothing for any other text.
std::optional<DType> DTypeFromName(std::string_view name);

// "float" for kFloat32: the guide's name, which differs from NumPy's for three types. Requires: IsDType.
std::string_view DTypeGuideName(DType dtype);
// "DT_FLOAT" for kFloat32. Requires: IsDType.
std::string_view DTypeEnumWord(DType dtype);

// Bytes of one element; 0 for string, resource, variant, numbers smaller than a byte, and invalid values.
size_t DTypeSize(DType dtype);

// True if the elements are handles of objects: resources, which ops share, and variants, which are values of a type
// that only a plugin knows.
constexpr bool HasHandles(DType dtype) {
  return dtype == DType::kResource || dtype == DType::kVariant;
}

// Bytes per element in the memory of a tensor: DTypeSize, or the size of a slot: 16 for string, 8 for handles. 0 for
// types that tensors cannot have: numbers smaller than a byte, and invalid values.
size_t ElementBytes(DType dtype);
// True if a tensor of this type can be fed, printed and written to a file.
inline bool HasValues(DType dtype) {
  return !HasHandles(dtype) && ElementBytes(dtype) != 0;
}
constexpr bool IsComplex(DType dtype) {
  return dtype == DType::kComplex64 || dtype == DType::kComplex128;
}

// The five formats of 8 bits.
constexpr bool IsFloat8(DType dtype) {
  return dtype >= DType::kFloat8E5M2 && dtype <= DType::kFloat8E5M2FNUZ;
}
// True for numbers of 2 or 4 bits. Ops and attrs can name such a type, but tensors cannot have it.
constexpr bool IsSmallerThanAByte(DType dtype) {
  return dtype >= DType::kInt4 && dtype <= DType::kFloat4E2M1FN;
}
// "there are no tensors of int4: its numbers are smaller than a byte". Requires: ElementBytes(dtype) == 0.
std::string NoTensorsText(DType dtype);
// True if the elements are slots, which own the memory that they point to.
inline bool HasSlots(DType dtype) {
  return dtype == DType::kString || HasHandles(dtype);
}

opsrun_dldtype DTypeToDLPack(DType dtype);

// The sets of types that the spec language has names for, as in TensorFlow: numbers, among them real numbers, and
// quantized numbers.
enum class TypeSet : char { kNumber = 'n', kReal = 'r', kQuantized = 'q' };
std::vector<DType> TypesIn(TypeSet set);  // in the order of their numbers

// For messages: the names that a graph file may use for the type of a fed tensor.
const std::vector<std::string>& FeedableDTypeNames();

}  // namespace opsrun::host
