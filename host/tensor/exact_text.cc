// host/tensor/exact_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/exact_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>

#include "host/tensor/compare.h"
#include "host/tensor/float16.h"

namespace opsrun::host {
namespace {

template <typename T>
T NumberAt(const Tensor& tensor, int64_t i) {
  return static_cast<const T*>(tensor.data())[i];
}

// In Python's spelling, which the graph format takes.
template <typename T>
std::string ComplexText(const std::complex<T>& number) {
  return fmt::format("{}{:+}j", number.real(), number.imag());
}

// "1e-05" is a decimal number of YAML 1.2 alone, "1.0e-05" of every YAML.
std::string WithPoint(std::string text) {
  if (text.find_first_not_of("0123456789-+e") != std::string::npos) return text;
  return text.insert(std::min(text.find('e'), text.size()), ".0");
}

// The fewest digits that are the same 16 bits again.
std::string ShortText(uint16_t bits, uint16_t (*from)(double), float (*to)(uint16_t)) {
  const double number = to(bits);
  if (!std::isfinite(number)) return ExactText(number);
  for (int digits = 1;; ++digits) {
    const std::string text = fmt::format("{:.{}g}", number, digits);
    if (from(std::strtod(text.c_str(), nullptr)) == bits) return WithPoint(text);
  }
}

}  // namespace

std::string ExactText(double number) {
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number < 0 ? "-.inf" : ".inf";
  return WithPoint(fmt::format("{}", number));
}

std::string ExactText(float number) {
  const std::string text = fmt::format("{}", number);
  // Whoever reads it reads a double first.
  const bool same = static_cast<float>(std::strtod(text.c_str(), nullptr)) == number;
  return same && std::isfinite(number) ? WithPoint(text) : ExactText(double{number});
}

std::string ExactText(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kFloat64:
      return ExactText(NumberAt<double>(tensor, i));
    case DType::kFloat32:
      return ExactText(NumberAt<float>(tensor, i));
    case DType::kFloat16:
      return ShortText(NumberAt<uint16_t>(tensor, i), HalfFromDouble, HalfToFloat);
    case DType::kBFloat16:
      return ShortText(NumberAt<uint16_t>(tensor, i), BFloat16FromDouble, BFloat16ToFloat);
    case DType::kBool:
      return NumberAt<uint8_t>(tensor, i) != 0 ? "true" : "false";
    case DType::kComplex64:
      return ComplexText(NumberAt<std::complex<float>>(tensor, i));
    case DType::kComplex128:
      return ComplexText(NumberAt<std::complex<double>>(tensor, i));
    default:
      return ElementText(tensor, i);
  }
}

}  // namespace opsrun::host
