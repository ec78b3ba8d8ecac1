// opsrun_absl/str_cat.h: absl::StrCat, StrAppend, Hex, Dec and AlphaNum.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "opsrun/internal/str_cat.h"
#include "opsrun_absl/text.h"

OPSRUN_ABSL_BEGIN

enum PadSpec : int {
  kNoPad = 1,
  kZeroPad2 = 2,
  kZeroPad3,
  kZeroPad4,
  kZeroPad5,
  kZeroPad6,
  kZeroPad7,
  kZeroPad8,
  kZeroPad9,
  kZeroPad10,
  kZeroPad11,
  kZeroPad12,
  kZeroPad13,
  kZeroPad14,
  kZeroPad15,
  kZeroPad16,
  kZeroPad17,
  kZeroPad18,
  kZeroPad19,
  kZeroPad20,
  kSpacePad2 = 66,
  kSpacePad3,
  kSpacePad4,
  kSpacePad5,
  kSpacePad6,
  kSpacePad7,
  kSpacePad8,
  kSpacePad9,
  kSpacePad10,
  kSpacePad11,
  kSpacePad12,
  kSpacePad13,
  kSpacePad14,
  kSpacePad15,
  kSpacePad16,
  kSpacePad17,
  kSpacePad18,
  kSpacePad19,
  kSpacePad20,
};

// A number as text, padded on the left: kZeroPad4 and kSpacePad4 pad to a width of 4.
struct Hex {
  template <typename Int>
  explicit Hex(Int number, PadSpec pad = kNoPad)
      : Hex(static_cast<unsigned long long>(static_cast<std::make_unsigned_t<Int>>(number)), int{pad}, "%0*llx",
            "%*llx") {}

  operator std::string_view() const { return text_; }

 protected:
  template <typename Number>
  Hex(Number number, int pad, const char* zeros, const char* spaces) {
    const int width = pad > 64 ? pad - 64 : pad;
    char digits[32];
    text_.assign(digits,
                 static_cast<size_t>(snprintf(digits, sizeof(digits), pad > 64 ? spaces : zeros, width, number)));
  }

 private:
  std::string text_;
};
struct Dec : Hex {
  template <typename Int>
  explicit Dec(Int number, PadSpec pad = kNoPad)
      : Hex(static_cast<std::conditional_t<std::is_signed_v<Int>, long long, unsigned long long>>(number), int{pad},
            std::is_signed_v<Int> ? "%0*lld" : "%0*llu", std::is_signed_v<Int> ? "%*lld" : "%*llu") {}
};

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

template <typename... Pieces>
std::string StrCat(const Pieces&... pieces) {
  return ::OPSRUN_NAMESPACE::internal::Join({::OPSRUN_NAMESPACE::internal::AsPiece(pieces)...});
}
inline std::string StrCat() {
  return {};
}

template <typename... Pieces>
void StrAppend(std::string* text, const Pieces&... pieces) {
  text->append(StrCat(pieces...));
}

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
