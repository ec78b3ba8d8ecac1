// host/base/dtype.cc: the table of data types.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/dtype.h"

#include <iterator>

namespace opsrun::host {
namespace {

// DLPack's codes (dlpack.h, DLDataTypeCode).
constexpr uint8_t kInt = 0, kUint = 1, kFloat = 2, kOpaque = 3, kBfloat = 4, kComplex = 5, kBool = 6;
constexpr uint8_t kFloat8E4M3B11FNUZ = 9, kFloat8E4M3FN = 10, kFloat8E4M3FNUZ = 11, kFloat8E5M2 = 12,
                  kFloat8E5M2FNUZ = 13, kFloat4E2M1FN = 17;

struct Entry {
  std::string_view name;        // NumPy's, where it has one
  std::string_view guide_name;  // the same, but for float, double and half
  std::string_view enum_word;
  uint8_t size;  // in bytes; 0 for slots and for numbers smaller than a byte
  uint8_t dl_code;
  uint8_t dl_bits;
  std::string_view sets = {};  // letters of TypeSet
};

// The entry of data type n is at n - 1.
constexpr Entry kTable[] = {
    {"float32", "float", "DT_FLOAT", 4, kFloat, 32, "nr"},
    {"float64", "double", "DT_DOUBLE", 8, kFloat, 64, "nr"},
    {"int32", "int32", "DT_INT32", 4, kInt, 32, "nr"},
    {"uint8", "uint8", "DT_UINT8", 1, kUint, 8, "nr"},
    {"int16", "int16", "DT_INT16", 2, kInt, 16, "nr"},
    {"int8", "int8", "DT_INT8", 1, kInt, 8, "nr"},
    {"string", "string", "DT_STRING", 0, kOpaque, 128},
    {"complex64", "complex64", "DT_COMPLEX64", 8, kComplex, 64, "n"},
    {"int64", "int64", "DT_INT64", 8, kInt, 64, "nr"},
    {"bool", "bool", "DT_BOOL", 1, kBool, 8},
    {"qint8", "qint8", "DT_QINT8", 1, kOpaque, 8, "nq"},
    {"quint8", "quint8", "DT_QUINT8", 1, kOpaque, 8, "nq"},
    {"qint32", "qint32", "DT_QINT32", 4, kOpaque, 32, "nq"},
    {"bfloat16", "bfloat16", "DT_BFLOAT16", 2, kBfloat, 16, "nr"},
    {"qint16", "qint16", "DT_QINT16", 2, kOpaque, 16, "q"},
    {"quint16", "quint16", "DT_QUINT16", 2, kOpaque, 16, "q"},
    {"uint16", "uint16", "DT_UINT16", 2, kUint, 16, "nr"},
    {"complex128", "complex128", "DT_COMPLEX128", 16, kComplex, 128, "n"},
    {"float16", "half", "DT_HALF", 2, kFloat, 16, "nr"},
    {"resource", "resource", "DT_RESOURCE", 0, kOpaque, 64},
    {"variant", "variant", "DT_VARIANT", 0, kOpaque, 64},
    {"uint32", "uint32", "DT_UINT32", 4, kUint, 32, "nr"},
    {"uint64", "uint64", "DT_UINT64", 8, kUint, 64, "nr"},
    {"float8_e5m2", "float8_e5m2", "DT_FLOAT8_E5M2", 1, kFloat8E5M2, 8},
    {"float8_e4m3fn", "float8_e4m3fn", "DT_FLOAT8_E4M3FN", 1, kFloat8E4M3FN, 8},
    {"float8_e4m3fnuz", "float8_e4m3fnuz", "DT_FLOAT8_E4M3FNUZ", 1, kFloat8E4M3FNUZ, 8},
    {"float8_e4m3b11fnuz", "float8_e4m3b11fnuz", "DT_FLOAT8_E4M3B11FNUZ", 1, kFloat8E4M3B11FNUZ, 8},
    {"float8_e5m2fnuz", "float8_e5m2fnuz", "DT_FLOAT8_E5M2FNUZ", 1, kFloat8E5M2FNUZ, 8},
    {"int4", "int4", "DT_INT4", 0, kInt, 4},
    {"uint4", "uint4", "DT_UINT4", 0, kUint, 4},
    {"int2", "int2", "DT_INT2", 0, kInt, 2},
    {"uint2", "uint2", "DT_UINT2", 0, kUint, 2},
    {"float4_e2m1fn", "float4_e2m1fn", "DT_FLOAT4_E2M1FN", 0, kFloat4E2M1FN, 4},
};
static_assert(std::size(kTable) == kAllDTypes.size());

const Entry& EntryOf(DType dtype) {
  return kTable[DTypeNumber(dtype) - 1];
}

}  // namespace

std::string DTypeName(DType dtype) {
  if (!IsDType(dtype)) return "dtype " + std::to_string(DTypeNumber(dtype));
  return std::string(DTypeWord(dtype));
}

std::string_view DTypeWord(DType dtype) {
  return EntryOf(dtype).name;
}

std::string_view DTypeGuideName(DType dtype) {
  return EntryOf(dtype).guide_name;
}

std::string_view DTypeEnumWord(DType dtype) {
  return EntryOf(dtype).enum_word;
}

std::optional<DType> DTypeFromName(std::string_view name) {
  for (const DType dtype : kAllDTypes) {
    const Entry& entry = EntryOf(dtype);
    if (name == entry.name || name == entry.guide_name || name == entry.enum_word) return dtype;
  }
  return std::nullopt;
}

size_t DTypeSize(DType dtype) {
  return IsDType(dtype) ? EntryOf(dtype).size : 0;
}

size_t ElementBytes(DType dtype) {
  if (dtype == DType::kString) return sizeof(opsrun_str);
  return HasHandles(dtype) ? sizeof(const opsrun_resource*) : DTypeSize(dtype);
}

std::string NoTensorsText(DType dtype) {
  const char* const why = IsSmallerThanAByte(dtype) ? ": its numbers are smaller than a byte" : "";
  return "there are no tensors of " + DTypeName(dtype) + why;
}

opsrun_dldtype DTypeToDLPack(DType dtype) {
  if (!IsDType(dtype)) return {kOpaque, 0, 1};
  return {EntryOf(dtype).dl_code, EntryOf(dtype).dl_bits, 1};
}

const std::vector<std::string>& FeedableDTypeNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> feedable;
    for (const DType dtype : kAllDTypes) {
      if (HasValues(dtype)) feedable.push_back(DTypeName(dtype));
    }
    return feedable;
  }();
  return names;
}

std::vector<DType> TypesIn(TypeSet set) {
  std::vector<DType> types;
  for (const DType dtype : kAllDTypes) {
    if (EntryOf(dtype).sets.find(static_cast<char>(set)) != std::string_view::npos) types.push_back(dtype);
  }
  return types;
}

}  // namespace opsrun::host
