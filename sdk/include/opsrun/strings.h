// opsrun/strings.h: strings::StrCat, strings::StrAppend and StringPiece.
//
// A bool is printed as 0 or 1, a float with six digits, an enum as its number, and an object that has a DebugString()
// as that string.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include "opsrun/internal/str_cat.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// A std::string_view with the methods that TensorFlow 1 added to its own class. Does not own its text.
class StringPiece : public std::string_view {
 public:
  constexpr StringPiece() = default;
  constexpr StringPiece(const char* text, size_t size) : std::string_view(text, size) {}
  template <typename Text, typename = std::enable_if_t<std::is_convertible_v<const Text&, std::string_view>>>
  constexpr StringPiece(const Text& text) : std::string_view(text) {}

  void clear() { *this = StringPiece(); }
  void set(const void* text, size_t size) { *this = StringPiece(static_cast<const char*>(text), size); }
  constexpr StringPiece substr(size_t from = 0, size_t size = npos) const {
    return std::string_view::substr(from, size);
  }
  constexpr bool contains(std::string_view text) const { return find(text) != npos; }
  constexpr bool starts_with(std::string_view text) const { return substr(0, text.size()) == text; }
  constexpr bool ends_with(std::string_view text) const {
    return size() >= text.size() && substr(size() - text.size()) == text;
  }
  // Removes the prefix. False: the text does not begin with it.
  bool Consume(std::string_view prefix) {
    const bool has_prefix = starts_with(prefix);
    if (has_prefix) remove_prefix(prefix.size());
    return has_prefix;
  }
  std::string ToString() const { return std::string(*this); }

  struct Hasher {
    size_t operator()(StringPiece text) const { return std::hash<std::string_view>()(text); }
  };
};

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

template <>
struct std::hash<::OPSRUN_NAMESPACE::StringPiece> : ::OPSRUN_NAMESPACE::StringPiece::Hasher {};
