// opsrun/strings.h: strings::StrCat, strings::StrAppend and StringPiece.
//
// A bool is 0 or 1, a float has six digits, an enum is its number; what has a DebugString() is that.
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
