// opsrun/strings.h: strings::StrCat, strings::StrAppend and StringPiece.
//
// A bool is printed as 0 or 1, a float with six digits, an enum as its number, and an object that has a DebugString()
// as that string.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "opsrun/internal/str_cat.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

typedef std::string_view StringPiece;

namespace strings {

template <typename... Pieces>
std::string StrCat(const Pieces&... pieces) {
  return internal::Join({internal::AsPiece(pieces)...});
}

template <typename... Pieces>
void StrAppend(std::string* text, const Pieces&... pieces) {
  text->append(StrCat(pieces...));
}

}  // namespace strings
}  // namespace OPSRUN_HIDDEN
