// opsrun/testing/array.h: values in tests: a small tensor, ArrayOf<float>({2, 2}, {1, 2, 3, 4}), and the value of an
// attr.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "opsrun/c_api.h"

namespace opsrun::test {

using Shape = std::vector<int64_t>;

// The two 16-bit floating-point types: Half(0.5), BFloat16::FromBits(0x3f80). Numbers are rounded to nearest, ties to
// even.
class Half {
 public:
  Half() = default;
  Half(double number);  // NOLINT: {1, 2.5} are values
  static Half FromBits(uint16_t bits);
  operator float() const;
  uint16_t bits() const { return bits_; }

 private:
  uint16_t bits_ = 0;
};
class BFloat16 {
 public:
  BFloat16() = default;
  BFloat16(double number);  // NOLINT: {1, 2.5} are values
  static BFloat16 FromBits(uint16_t bits);
  operator float() const;
  uint16_t bits() const { return bits_; }

 private:
  uint16_t bits_ = 0;
};

// The 8-bit floating-point types, by data type: Float8<OPSRUN_DT_FLOAT8_E4M3FN>(0.5). Rounded in the same way.
template <int32_t kType>
class Float8 {
 public:
  Float8() = default;
  Float8(double number);  // NOLINT: {1, 2.5} are values
  static Float8 FromBits(uint8_t bits);
  operator float() const;
  uint8_t bits() const { return bits_; }

 private:
  uint8_t bits_ = 0;
};
using Float8E5M2 = Float8<OPSRUN_DT_FLOAT8_E5M2>;
using Float8E4M3FN = Float8<OPSRUN_DT_FLOAT8_E4M3FN>;
using Float8E4M3FNUZ = Float8<OPSRUN_DT_FLOAT8_E4M3FNUZ>;
using Float8E4M3B11FNUZ = Float8<OPSRUN_DT_FLOAT8_E4M3B11FNUZ>;
using Float8E5M2FNUZ = Float8<OPSRUN_DT_FLOAT8_E5M2FNUZ>;
extern template class Float8<OPSRUN_DT_FLOAT8_E5M2>;
extern template class Float8<OPSRUN_DT_FLOAT8_E4M3FN>;
extern template class Float8<OPSRUN_DT_FLOAT8_E4M3FNUZ>;
extern template class Float8<OPSRUN_DT_FLOAT8_E4M3B11FNUZ>;
extern template class Float8<OPSRUN_DT_FLOAT8_E5M2FNUZ>;

template <typename T>
constexpr int32_t DTypeOf() {
  if (std::is_same_v<T, float>) return OPSRUN_DT_FLOAT;
  if (std::is_same_v<T, double>) return OPSRUN_DT_DOUBLE;
  if (std::is_same_v<T, Half>) return OPSRUN_DT_HALF;
  if (std::is_same_v<T, BFloat16>) return OPSRUN_DT_BFLOAT16;
  if (std::is_same_v<T, bool>) return OPSRUN_DT_BOOL;
  if (std::is_same_v<T, int8_t>) return OPSRUN_DT_INT8;
  if (std::is_same_v<T, int16_t>) return OPSRUN_DT_INT16;
  if (std::is_same_v<T, int32_t>) return OPSRUN_DT_INT32;
  if (std::is_same_v<T, long>) return OPSRUN_DT_INT64;
  if (std::is_same_v<T, long long>) return OPSRUN_DT_INT64;
  if (std::is_same_v<T, uint8_t>) return OPSRUN_DT_UINT8;
  if (std::is_same_v<T, uint16_t>) return OPSRUN_DT_UINT16;
  if (std::is_same_v<T, uint32_t>) return OPSRUN_DT_UINT32;
  if (std::is_same_v<T, unsigned long>) return OPSRUN_DT_UINT64;
  if (std::is_same_v<T, unsigned long long>) return OPSRUN_DT_UINT64;
  if (std::is_same_v<T, std::complex<float>>) return OPSRUN_DT_COMPLEX64;
  if (std::is_same_v<T, std::complex<double>>) return OPSRUN_DT_COMPLEX128;
  if (std::is_same_v<T, std::string>) return OPSRUN_DT_STRING;
  return OPSRUN_DT_INVALID;
}
// The data type (OPSRUN_DT_*) of a C++ type.
template <typename T>
inline constexpr int32_t kDType = DTypeOf<T>();
template <int32_t kType>
inline constexpr int32_t kDType<Float8<kType>> = kType;

// The data types of TF_CALL_NUMBER_TYPES, which a kernel for all number types must support.
inline std::vector<int32_t> NumberTypes() {
  return {OPSRUN_DT_FLOAT,  OPSRUN_DT_DOUBLE, OPSRUN_DT_HALF,      OPSRUN_DT_BFLOAT16,  OPSRUN_DT_INT8,
          OPSRUN_DT_INT16,  OPSRUN_DT_INT32,  OPSRUN_DT_INT64,     OPSRUN_DT_UINT8,     OPSRUN_DT_UINT16,
          OPSRUN_DT_UINT32, OPSRUN_DT_UINT64, OPSRUN_DT_COMPLEX64, OPSRUN_DT_COMPLEX128};
}

// A data type, a shape, and the elements in row-major order, as dense bytes or as texts. They are checked when the
// array is used: if their number does not match the shape, the test fails and reports both numbers.
struct Array {
  int32_t dtype = OPSRUN_DT_INVALID;
  Shape shape;
  std::string bytes;
  std::vector<std::string> strings;  // the elements of an OPSRUN_DT_STRING array, instead of bytes

  // All elements. Empty if T does not match the data type.
  template <typename T>
  std::vector<T> Values() const;

  static Array Zeros(int32_t dtype, Shape shape);
};

// `dtype`: for a data type whose elements have the representation of T, such as OPSRUN_DT_QUINT8 for uint8_t.
template <typename T>
Array ArrayOf(Shape shape, const std::vector<T>& values, int32_t dtype = kDType<T>) {
  static_assert(kDType<T> != OPSRUN_DT_INVALID, "no tensor has elements of this type");
  Array array{dtype, std::move(shape), {}, {}};
  for (const T& value : values) {
    if constexpr (std::is_same_v<T, std::string>) {
      array.strings.push_back(value);
    } else {
      array.bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
    }
  }
  return array;
}
// The elements of std::vector<bool> have no addresses.
template <>
inline Array ArrayOf<bool>(Shape shape, const std::vector<bool>& values, int32_t dtype) {
  Array array{dtype, std::move(shape), {}, {}};
  for (const bool value : values) array.bytes.push_back(value ? 1 : 0);
  return array;
}

template <typename T>
std::vector<T> Array::Values() const {
  std::vector<T> values;
  if constexpr (std::is_same_v<T, std::string>) {
    values = strings;
  } else if (dtype == kDType<T>) {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
      T value;
      std::memcpy(static_cast<void*>(&value), bytes.data() + at, sizeof(T));
      values.push_back(value);
    }
  }
  return values;
}

// The value of an attr, written as in a graph file:
//
//   "REFLECT", 3, 0.5, true, {1, 2, 3}, "int32" or TypeOf<float>() for a type, Shape{2, -1} for a shape, an Array for a
//   tensor; a list of them in braces
//
// The host checks the value against the spec of the op, with the same messages as for a graph file.
class AttrValue {
 public:
  enum class Kind { kInt, kFloat, kBool, kString, kTensor, kList };

  AttrValue(bool value) : kind(Kind::kBool), number(value) {}
  AttrValue(double value) : kind(Kind::kFloat), real(value) {}
  AttrValue(const char* value) : kind(Kind::kString), text(value) {}
  AttrValue(std::string value) : kind(Kind::kString), text(std::move(value)) {}
  AttrValue(Array value) : kind(Kind::kTensor), tensor(std::make_shared<const Array>(std::move(value))) {}
  template <typename Int, std::enable_if_t<std::is_integral_v<Int> && !std::is_same_v<Int, bool>, int> = 0>
  AttrValue(Int value) : kind(Kind::kInt), number(static_cast<int64_t>(value)) {}
  AttrValue(std::initializer_list<AttrValue> values) : kind(Kind::kList), items(values) {}
  template <typename T>
  AttrValue(const std::vector<T>& values) : kind(Kind::kList), items(values.begin(), values.end()) {}

  Kind kind;
  int64_t number = 0;
  double real = 0;
  std::string text;
  std::shared_ptr<const Array> tensor;
  std::vector<AttrValue> items;
};

// The name of a data type in a graph: "float32".
std::string TypeName(int32_t dtype);
template <typename T>
std::string TypeOf() {
  return TypeName(kDType<T>);
}

}  // namespace opsrun::test
