// opsrun_compat/read_number.h: text read as a number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

inline std::string_view WithoutBlanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// False unless all of the text, apart from spaces around it, is a number that fits. An integer has no "+".
template <typename Int>
bool ReadInteger(std::string_view text, int base, Int* value) {
  text = WithoutBlanks(text);
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, *value, base);
  return !text.empty() && read.ec == std::errc() && read.ptr == end;
}
template <typename Real>
bool ReadReal(std::string_view text, Real* value) {
  const std::string copy(WithoutBlanks(text));
  char* end = nullptr;
  *value = sizeof(Real) == sizeof(float) ? static_cast<Real>(strtof(copy.c_str(), &end))
                                         : static_cast<Real>(strtod(copy.c_str(), &end));
  return !copy.empty() && *end == '\0';
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
