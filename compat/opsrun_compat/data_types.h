// opsrun_compat/data_types.h: sets, properties and names of data types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctype.h>

#include "opsrun/array_slice.h"
#include "opsrun_compat/basics.h"

// Names Eigen's devices without Eigen's headers.
namespace Eigen {
struct ThreadPoolDevice;
struct GpuDevice;
}  // namespace Eigen

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

typedef gtl::ArraySlice<DataType> DataTypeSlice;
typedef gtl::ArraySlice<MemoryType> MemoryTypeSlice;
typedef std::vector<DeviceType> DeviceTypeVector;

// DeviceName<Device>::value is "CPU" or "GPU".
template <typename Device>
struct DeviceName;
template <>
struct DeviceName<Eigen::ThreadPoolDevice> {
  static inline const std::string value = DEVICE_CPU;
};

template <>
struct DeviceName<Eigen::GpuDevice> {
  static inline const std::string value = DEVICE_GPU;
};

inline std::string DeviceTypeString(const DeviceType& device) {
  return device;
}

// A set of data types.
class DataTypeSet {
 public:
  explicit constexpr DataTypeSet(uint64_t mask) : mask_(mask) {}

  constexpr bool Contains(DataType type) const { return type >= 0 && type < kLimit && (mask_ >> type & 1) != 0; }
  constexpr size_t size() const { return static_cast<size_t>(__builtin_popcountll(mask_)); }
  constexpr DataTypeSet operator|(const DataTypeSet& other) const { return DataTypeSet(mask_ | other.mask_); }

  // In the order of the types' numbers.
  class Iterator {
   public:
    constexpr explicit Iterator(uint64_t rest) : rest_(rest) {}
    constexpr DataType operator*() const { return static_cast<DataType>(__builtin_ctzll(rest_)); }
    constexpr Iterator& operator++() {
      rest_ &= rest_ - 1;
      return *this;
    }
    constexpr bool operator==(const Iterator& other) const { return rest_ == other.rest_; }
    constexpr bool operator!=(const Iterator& other) const { return rest_ != other.rest_; }

   private:
    uint64_t rest_;
  };
  constexpr Iterator begin() const { return Iterator(mask_); }
  constexpr Iterator end() const { return Iterator(0); }

 private:
  static constexpr int kLimit = 64;
  uint64_t mask_;
};

constexpr DataTypeSet ToSet(DataType type) {
  return DataTypeSet(uint64_t{1} << type);
}

inline constexpr DataTypeSet kDataTypeIsComplex = ToSet(DT_COMPLEX64) | ToSet(DT_COMPLEX128);
inline constexpr DataTypeSet kQuantizedTypes =
    ToSet(DT_QINT8) | ToSet(DT_QUINT8) | ToSet(DT_QINT16) | ToSet(DT_QUINT16) | ToSet(DT_QINT32);
inline constexpr DataTypeSet kDataTypeIsSigned =
    ToSet(DT_INT4) | ToSet(DT_INT8) | ToSet(DT_INT16) | ToSet(DT_INT32) | ToSet(DT_INT64);
inline constexpr DataTypeSet kDataTypeIsUnsigned =
    ToSet(DT_UINT4) | ToSet(DT_UINT8) | ToSet(DT_UINT16) | ToSet(DT_UINT32) | ToSet(DT_UINT64);
inline constexpr DataTypeSet kDataTypeIsInteger = kDataTypeIsSigned | kDataTypeIsUnsigned;
inline constexpr DataTypeSet kDataTypeIsFloating = ToSet(DT_HALF) | ToSet(DT_BFLOAT16) | ToSet(DT_FLOAT) |
                                                   ToSet(DT_DOUBLE) | ToSet(DT_FLOAT8_E4M3FN) | ToSet(DT_FLOAT8_E5M2);
inline constexpr DataTypeSet kRealNumberTypes =
    ToSet(DT_FLOAT) | ToSet(DT_DOUBLE) | ToSet(DT_INT32) | ToSet(DT_INT64) | ToSet(DT_UINT8) | ToSet(DT_INT16) |
    ToSet(DT_INT8) | ToSet(DT_UINT16) | ToSet(DT_HALF) | ToSet(DT_UINT32) | ToSet(DT_UINT64) | ToSet(DT_BFLOAT16);
inline constexpr DataTypeSet kNumberTypes = kRealNumberTypes | kDataTypeIsComplex | kQuantizedTypes;
inline constexpr DataTypeSet kDataTypesCanUseMemcpy =
    kDataTypeIsInteger | kDataTypeIsFloating | kDataTypeIsComplex | kQuantizedTypes | ToSet(DT_BOOL);
inline constexpr DataTypeSet kAllTypes =
    kDataTypesCanUseMemcpy | ToSet(DT_STRING) | ToSet(DT_RESOURCE) | ToSet(DT_VARIANT);

constexpr const DataTypeSet& AllTypes() {
  return kAllTypes;
}

constexpr const DataTypeSet& RealNumberTypes() {
  return kRealNumberTypes;
}

constexpr const DataTypeSet& NumberTypes() {
  return kNumberTypes;
}

constexpr const DataTypeSet& QuantizedTypes() {
  return kQuantizedTypes;
}

#define OPSRUN_IS_IN(Name, kSet)       \
  constexpr bool Name(DataType type) { \
    return kSet.Contains(type);        \
  }
OPSRUN_IS_IN(DataTypeIsFloating, kDataTypeIsFloating)
OPSRUN_IS_IN(DataTypeIsInteger, kDataTypeIsInteger)
OPSRUN_IS_IN(DataTypeIsSigned, kDataTypeIsSigned)
OPSRUN_IS_IN(DataTypeIsUnsigned, kDataTypeIsUnsigned)
OPSRUN_IS_IN(DataTypeIsComplex, kDataTypeIsComplex)
OPSRUN_IS_IN(DataTypeIsQuantized, kQuantizedTypes)
OPSRUN_IS_IN(DataTypeIsNumeric, kNumberTypes)
OPSRUN_IS_IN(DataTypeCanUseMemcpy, kDataTypesCanUseMemcpy)
#undef OPSRUN_IS_IN

constexpr bool DataTypeAlwaysOnHost(DataType type) {
  return type == DT_STRING || type == DT_RESOURCE;
}

constexpr MemoryType MTypeFromDType(DataType type) {
  return DataTypeAlwaysOnHost(type) || type == DT_INT32 ? HOST_MEMORY : DEVICE_MEMORY;
}

// TensorFlow's offset of reference types. opsrun has no tensors of such types.
inline constexpr int kDataTypeRefOffset = 100;
constexpr bool IsRefType(DataType type) {
  return type > kDataTypeRefOffset;
}

constexpr DataType MakeRefType(DataType type) {
  return static_cast<DataType>(type + kDataTypeRefOffset);
}

constexpr DataType RemoveRefType(DataType type) {
  return static_cast<DataType>(type - kDataTypeRefOffset);
}

constexpr DataType BaseType(DataType type) {
  return IsRefType(type) ? RemoveRefType(type) : type;
}

constexpr bool TypesCompatible(DataType expected, DataType actual) {
  return expected == actual || expected == BaseType(actual);
}

// "float, int32".
inline std::string DataTypeSliceString(const DataTypeSlice& types) {
  std::string text;
  for (const DataType type : types) text += (text.empty() ? "" : ", ") + DataTypeString(type);
  return text;
}

inline std::string DataTypeVectorString(const DataTypeVector& types) {
  return DataTypeSliceString(types);
}

// "DT_FLOAT".
inline std::string DataType_Name(DataType type) {
  std::string name = DataTypeString(type);
  for (char& letter : name) letter = static_cast<char>(toupper(letter));
  return "DT_" + name;
}

// False: the name is unknown. Names are "float" or "float32", "half" or "float16", "int32", "int32_ref" and so on.
inline bool DataTypeFromString(std::string_view name, DataType* type) {
  constexpr std::string_view kRef = "_ref";
  const bool is_ref = name.size() > kRef.size() && name.substr(name.size() - kRef.size()) == kRef;
  if (is_ref) name.remove_suffix(kRef.size());
  for (const DataType each : AllTypes()) {
    if (name != DataTypeString(each) && name != DataTypeName(each)) continue;
    *type = is_ref ? MakeRefType(each) : each;
    return true;
  }
  return false;
}

// Properties of a C++ element type.

template <typename T>
struct is_complex : std::bool_constant<std::is_same_v<T, complex64> || std::is_same_v<T, complex128>> {};

template <typename T>
struct is_quantized
    : std::bool_constant<std::is_same_v<T, qint8> || std::is_same_v<T, quint8> || std::is_same_v<T, qint16> ||
                         std::is_same_v<T, quint16> || std::is_same_v<T, qint32>> {};

// Whether elements can be copied as bytes.
template <typename T>
struct is_simple_type : std::bool_constant<std::is_trivially_copyable_v<T>> {};

}  // namespace OPSRUN_HIDDEN
