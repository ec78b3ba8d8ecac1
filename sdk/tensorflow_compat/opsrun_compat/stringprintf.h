// opsrun_compat/stringprintf.h: strings::Printf and Appendf.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdarg.h>

#include <string>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/internal/str_cat.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace strings {

__attribute__((format(printf, 1, 2))) inline std::string Printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = internal::FormatList(format, arguments);
  va_end(arguments);
  return text;
}
__attribute__((format(printf, 2, 3))) inline void Appendf(std::string* text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  text->append(internal::FormatList(format, arguments));
  va_end(arguments);
}
inline void Appendv(std::string* text, const char* format, va_list arguments) {
  text->append(internal::FormatList(format, arguments));
}

}  // namespace strings
}  // namespace OPSRUN_HIDDEN
