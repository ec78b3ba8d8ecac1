// opsrun_absl/str_cat.h: absl::StrCat, StrAppend, Hex, Dec and AlphaNum.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "opsrun/strings.h"
#include "opsrun_absl/text.h"
#include "opsrun_compat/numbers.h"

OPSRUN_ABSL_BEGIN

using namespace ::OPSRUN_NAMESPACE::internal::padded;
using ::OPSRUN_NAMESPACE::strings::StrAppend, ::OPSRUN_NAMESPACE::strings::StrCat;

// An argument, converted to text.
class AlphaNum {
 public:
  template <typename T>
  AlphaNum(const T& value) : text_(::OPSRUN_NAMESPACE::internal::StrCat(value)) {}
  template <size_t N>
  AlphaNum(const char (&text)[N]) : text_(text) {}
  std::string_view Piece() const { return text_; }
  const char* data() const { return text_.data(); }
  size_t size() const { return text_.size(); }

 private:
  std::string text_;
};

// absl::Substitute: $0 to $9 are replaced by the arguments, $$ by a dollar sign.

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
