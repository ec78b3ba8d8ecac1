// tests/vectors/element.cc: see element.h.
// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/element.h"

#include <stdexcept>

#include "host/tensor/float16.h"

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

}  // namespace

std::string ElementOf(const Tree& number, host::DType dtype) {
  switch (dtype) {
    case OPSRUN_DT_FLOAT:
      return Bytes(static_cast<float>(number.AsDouble()));
    case OPSRUN_DT_DOUBLE:
      return Bytes(number.AsDouble());
    case OPSRUN_DT_HALF:
      return Bytes(host::HalfFromDouble(number.AsDouble()));
    case OPSRUN_DT_BFLOAT16:
      return Bytes(host::BFloat16FromDouble(number.AsDouble()));
    case OPSRUN_DT_COMPLEX64:
      return Complex(number, OPSRUN_DT_FLOAT);
    case OPSRUN_DT_COMPLEX128:
      return Complex(number, OPSRUN_DT_DOUBLE);
    default:
      if (host::DTypeSize(dtype) == 0)
        throw std::runtime_error("elements of " + host::DTypeName(dtype) + " have no bytes");
      return Integer(number, host::DTypeSize(dtype));
  }
}

}  // namespace opsrun::vectors
