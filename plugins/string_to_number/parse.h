// plugins/string_to_number/parse.h: parses numbers, independently of tensors and opsrun.
//
// The whole text must be a number; white space around it is ignored. The result is the nearest value of the type, in
// any locale.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace string_to_number {

enum class Parsed { kOk, kNoNumber, kTooLarge };

inline std::string_view WithoutBlanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// std::from_chars does not accept a plus sign.
inline std::string_view WithoutPlus(std::string_view text) {
  const bool has_one = text.size() > 1 && text[0] == '+' && text[1] != '-';
  return has_one ? text.substr(1) : text;
}

// The decimal exponent of the first significant digit, to within one. Requires: a decimal number other than 0 that
// std::from_chars accepts.
inline int64_t Magnitude(std::string_view text) {
  constexpr int64_t kHuge = int64_t{1} << 40;  // larger than the length of any text
  const size_t e = std::min(text.find_first_of("eE"), text.size());
  const size_t point = std::min(text.find('.'), e);
  const size_t first = text.find_first_of("123456789");
  int64_t power = 0;
  if (e < text.size()) {
    const std::string_view digits = WithoutPlus(text.substr(e + 1));
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), power);
    if (read.ec == std::errc::result_out_of_range) power = digits[0] == '-' ? -kHuge : kHuge;
    power = std::clamp(power, -kHuge, kHuge);
  }
  return power + static_cast<int64_t>(point) - static_cast<int64_t>(first);
}

inline bool SpellsInfinity(std::string_view text) {
  return text.find_first_of("iI") != std::string_view::npos;
}

// std::from_chars returns the same error for 1e999 and for 1e-999, which is nearly 0.
template <typename T>
Parsed ParseExtreme(std::string_view text, T* value) {
  if (!std::is_floating_point_v<T> || Magnitude(text) > 0) return Parsed::kTooLarge;
  *value = static_cast<T>(text[0] == '-' ? -0.0 : 0.0);
  return Parsed::kOk;
}

template <typename T>
Parsed Parse(std::string_view text, T* value) {
  text = WithoutPlus(WithoutBlanks(text));
  const char* end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, *value);
  if (read.ptr != end || read.ec == std::errc::invalid_argument) return Parsed::kNoNumber;
  if (read.ec == std::errc::result_out_of_range) return ParseExtreme(text, value);
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isinf(*value) && !SpellsInfinity(text)) return Parsed::kTooLarge;
  }
  return Parsed::kOk;
}

}  // namespace string_to_number
