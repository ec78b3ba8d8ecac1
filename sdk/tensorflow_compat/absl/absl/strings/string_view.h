// absl/strings/string_view.h: absl::string_view, which is std::string_view.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN

using std::string_view;

inline string_view ClippedSubstr(string_view text, size_t begin, size_t count = string_view::npos) {
  return text.substr(begin < text.size() ? begin : text.size(), count);
}
inline string_view NullSafeStringView(const char* text) {
  return text == nullptr ? string_view() : string_view(text);
}

OPSRUN_ABSL_END
