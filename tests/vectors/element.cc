// tests/vectors/element.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/element.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "host/tensor/small_floats.h"

namespace opsrun::vectors {
namespace {

template <typename T>
std::string Bytes(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// The low bytes, as the (little-endian) machine stores an integer of that size.
std::string Integer(const Tree& number, size_t size) {
  if (number.LooksLikeBool()) return Bytes<int64_t>(number.AsBool()).substr(0, size);
  const bool negative = number.AsText().starts_with('-');
  return (negative ? Bytes(number.AsInt()) : Bytes(number.AsUint())).substr(0, size);
}

std::string Complex(const Tree& number, host::DType part) {
  if (number.kind != Tree::Kind::kList) return ElementOf(number, part) + std::string(host::DTypeSize(part), '\0');
  if (number.items.size() != 2) throw std::runtime_error("a complex number is two numbers");
  return ElementOf(number.items[0], part) + ElementOf(number.items[1], part);
}

template <typename T>
T Load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <typename T>
std::string FloatText(T value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

// Sign-extended, or not.
std::string IntegerText(const char* bytes, host::DType dtype) {
  const size_t size = host::DTypeSize(dtype);
  uint64_t value = 0;
  std::memcpy(&value, bytes, size);
  if (host::DTypeName(dtype).find("uint") != std::string::npos || dtype == host::DType::kBool)
    return std::to_string(value);
  const int unused = static_cast<int>(64 - 8 * size);
  return std::to_string(static_cast<int64_t>(value << unused) >> unused);
}

}  // namespace

std::string ElementText(const char* bytes, host::DType dtype) {
  switch (dtype) {
    case host::DType::kFloat32:
      return FloatText(Load<float>(bytes));
    case host::DType::kFloat64:
      return FloatText(Load<double>(bytes));
    case host::DType::kFloat16:
      return FloatText(host::HalfToFloat(Load<uint16_t>(bytes)));
    case host::DType::kBFloat16:
      return FloatText(host::BFloat16ToFloat(Load<uint16_t>(bytes)));
    case host::DType::kComplex64:
      return fmt::format("({}, {})", ElementText(bytes, host::DType::kFloat32),
                         ElementText(bytes + 4, host::DType::kFloat32));
    case host::DType::kComplex128:
      return fmt::format("({}, {})", ElementText(bytes, host::DType::kFloat64),
                         ElementText(bytes + 8, host::DType::kFloat64));
    default:
      return IntegerText(bytes, dtype);
  }
}

std::string ElementOf(const Tree& number, host::DType dtype) {
  switch (dtype) {
    case host::DType::kFloat32:
      return Bytes(static_cast<float>(number.AsDouble()));
    case host::DType::kFloat64:
      return Bytes(number.AsDouble());
    case host::DType::kFloat16:
      return Bytes(host::HalfFromDouble(number.AsDouble()));
    case host::DType::kBFloat16:
      return Bytes(host::BFloat16FromDouble(number.AsDouble()));
    case host::DType::kComplex64:
      return Complex(number, host::DType::kFloat32);
    case host::DType::kComplex128:
      return Complex(number, host::DType::kFloat64);
    default:
      if (host::DTypeSize(dtype) == 0)
        throw std::runtime_error("elements of " + host::DTypeName(dtype) + " have no bytes");
      return Integer(number, host::DTypeSize(dtype));
  }
}

}  // namespace opsrun::vectors
