// host/tensor/exact_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/exact_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/tensor/decimal.h"
#include "host/tensor/nearest.h"
#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

// "1e-05" is a decimal number of YAML 1.2 alone, "1.0e-05" of every YAML.
std::string WithPoint(std::string text) {
  if (text.find_first_not_of("0123456789-+e") != std::string::npos) return text;
  return text.insert(std::min(text.find('e'), text.size()), ".0");
}

// Not rounded at all.
std::string AllDigits(double number) {
  constexpr int kMostDigits = 767;
  const Decimal decimal = RoundedScientific(number, kMostDigits - 1);
  return fmt::format("{}{}.{}e{:+}", decimal.negative ? "-" : "", decimal.digits[0], decimal.digits.substr(1),
                     decimal.exponent);
}

// The fewest digits that are the same bits again.
template <typename T>
std::string ShortText(T number) {
  if (!std::isfinite(double{number})) return ExactText(double{number});
  for (int digits = 1;; ++digits) {
    const std::string text = fmt::format("{:.{}g}", double{number}, digits);
    if (NearestNumber<T>(text).bits == number.bits) return WithPoint(text);
  }
}

}  // namespace

std::string ExactText(double number) {
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number < 0 ? "-.inf" : ".inf";
  const std::string text = fmt::format("{}", number);
  // A float attr is read as a float, which the text must round to as the number does.
  const bool same = NearestNumber<float>(text) == static_cast<float>(number);
  return same ? WithPoint(text) : AllDigits(number);
}

std::string ExactText(float number) {
  if (!std::isfinite(number)) return ExactText(double{number});
  const std::string text = fmt::format("{}", number);
  // Whoever reads it as JSON reads a double first.
  const bool same = static_cast<float>(NearestDouble(text)) == number;
  return same ? WithPoint(text) : ExactText(double{number});
}

std::string ExactText(const Tensor& tensor, int64_t i) {
  if (tensor.dtype() == DType::kBool) return ElementAt<uint8_t>(tensor, i) != 0 ? "true" : "false";
  return WithNumberType(tensor.dtype(), [&]<typename T>(T number) {
    number = ElementAt<T>(tensor, i);
    if constexpr (std::is_integral_v<T>) {
      return std::to_string(number);
    } else if constexpr (kIsComplex<T>) {
      return fmt::format("{}{:+}j", number.real(), number.imag());  // Python's spelling, which the graph format takes
    } else if constexpr (kIsSmallFloat<T>) {
      return ShortText(number);
    } else {
      return ExactText(number);
    }
  });
}

}  // namespace opsrun::host
