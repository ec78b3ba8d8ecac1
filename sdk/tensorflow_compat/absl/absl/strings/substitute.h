// absl/strings/substitute.h: absl::Substitute: $0 to $9 are the arguments, $$ is a dollar.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

OPSRUN_ABSL_BEGIN

namespace internal {
template <typename Piece>
std::string SubstituteText(const Piece& piece) {
  if constexpr (std::is_same_v<Piece, bool>) {
    return piece ? "true" : "false";
  } else {
    return StrCat(piece);
  }
}
}  // namespace internal

template <typename... Pieces>
void SubstituteAndAppend(std::string* out, string_view format, const Pieces&... pieces) {
  const std::vector<std::string> texts = {internal::SubstituteText(pieces)...};
  for (size_t i = 0; i < format.size(); ++i) {
    const char next = format[i] == '$' && i + 1 < format.size() ? format[i + 1] : '\0';
    if (next >= '0' && next <= '9') {
      const size_t at = static_cast<size_t>(next - '0');
      if (at < texts.size()) out->append(texts[at]);
      ++i;
    } else {
      out->push_back(format[i]);
      i += next == '$';
    }
  }
}
template <typename... Pieces>
std::string Substitute(string_view format, const Pieces&... pieces) {
  std::string out;
  SubstituteAndAppend(&out, format, pieces...);
  return out;
}

OPSRUN_ABSL_END
