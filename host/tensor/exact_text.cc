// host/tensor/exact_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/exact_text.h"

#include <fmt/format.h>

#include <cmath>
#include <complex>

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

}  // namespace

std::string ExactText(double number) {
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number < 0 ? "-.inf" : ".inf";
  std::string text = fmt::format("{}", number);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string ExactText(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kFloat64:
      return ExactText(NumberAt<double>(tensor, i));
    case DType::kFloat32:
      return ExactText(double{NumberAt<float>(tensor, i)});
    case DType::kFloat16:
      return ExactText(double{HalfToFloat(NumberAt<uint16_t>(tensor, i))});
    case DType::kBFloat16:
      return ExactText(double{BFloat16ToFloat(NumberAt<uint16_t>(tensor, i))});
    case DType::kComplex64:
      return ComplexText(NumberAt<std::complex<float>>(tensor, i));
    case DType::kComplex128:
      return ComplexText(NumberAt<std::complex<double>>(tensor, i));
    default:
      return ElementText(tensor, i);
  }
}

}  // namespace opsrun::host
