// opsrun_absl/str_cat.h: absl::StrCat, Substitute, StrSplit, whose result converts to any container, and StrJoin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

// Delimiters: Find returns the first delimiter in the text at or after `from`, or an empty view at the end of the text.
struct ByString {
  explicit ByString(string_view text) : delimiter_(text) {}
  string_view Find(string_view text, size_t from) const {
    if (delimiter_.empty()) return from + 1 < text.size() ? text.substr(from + 1, 0) : text.substr(text.size());
    const size_t at = text.find(delimiter_, from);
    return at == string_view::npos ? text.substr(text.size()) : text.substr(at, delimiter_.size());
  }

 private:
  std::string delimiter_;
};
struct ByChar : ByString {
  explicit ByChar(char c) : ByString(string_view(&c, 1)) {}
};
struct ByAnyChar {
  explicit ByAnyChar(string_view text) : characters_(text) {}
  string_view Find(string_view text, size_t from) const {
    const size_t at = text.find_first_of(characters_, from);
    return at == string_view::npos ? text.substr(text.size()) : text.substr(at, 1);
  }

 private:
  std::string characters_;
};
namespace internal {

// Splits at most `limit` times.
template <typename Delimiter>
struct MaxSplitsImpl {
  Delimiter delimiter;
  int limit;
  mutable int count = 0;
  string_view Find(string_view text, size_t from) const {
    return count++ < limit ? delimiter.Find(text, from) : text.substr(text.size());
  }
};
inline ByString DelimiterOf(string_view text) {
  return ByString(text);
}
inline ByChar DelimiterOf(char c) {
  return ByChar(c);
}
template <typename Delimiter, typename = std::enable_if_t<std::is_class_v<Delimiter>>,
          typename = decltype(&Delimiter::Find)>
Delimiter DelimiterOf(const Delimiter& delimiter) {
  return delimiter;
}

}  // namespace internal

// Stops after `limit` splits; the last piece is the rest of the text.
template <typename Delimiter>
auto MaxSplits(const Delimiter& delimiter, int limit) {
  return internal::MaxSplitsImpl<decltype(internal::DelimiterOf(delimiter))>{internal::DelimiterOf(delimiter), limit};
}

// Predicates that select the pieces to keep.
using ::OPSRUN_NAMESPACE::str_util::AllowEmpty, ::OPSRUN_NAMESPACE::str_util::SkipEmpty;
using ::OPSRUN_NAMESPACE::str_util::SkipWhitespace;

namespace internal {

// The pieces: views of the original text, unless that was a temporary string.
class SplitPieces {
  template <typename T, typename = void>
  struct IsMap : std::false_type {};
  template <typename T>
  struct IsMap<T, std::void_t<typename T::mapped_type>> : std::true_type {};

 public:
  typedef std::vector<string_view>::const_iterator const_iterator;
  const_iterator begin() const { return pieces_.begin(); }
  const_iterator end() const { return pieces_.end(); }

  template <typename First, typename Second>
  operator std::pair<First, Second>() const {
    return {First(pieces_.empty() ? string_view() : pieces_[0]),
            Second(pieces_.size() < 2 ? string_view() : pieces_[1])};
  }
  // Converts to a container of the pieces, or to a map from each piece at an even position to the next one.
  template <typename Container, typename Value = typename Container::value_type,
            typename = decltype(std::declval<Container&>().insert(std::declval<Container&>().end(),
                                                                  std::declval<Value>())),
            typename = std::enable_if_t<std::is_constructible_v<Value, string_view> || IsMap<Container>::value>>
  operator Container() const {
    Container out;
    if constexpr (IsMap<Container>::value) {
      for (size_t i = 0; i < pieces_.size(); i += 2) {
        out.emplace(typename Container::key_type(pieces_[i]),
                    typename Container::mapped_type(i + 1 < pieces_.size() ? pieces_[i + 1] : string_view()));
      }
    } else {
      for (const string_view piece : pieces_) out.insert(out.end(), Value(piece));
    }
    return out;
  }

  template <typename Delimiter, typename Predicate>
  void Cut(string_view text, const Delimiter& delimiter, const Predicate& keep) {
    for (size_t begin = 0;;) {
      const string_view cut = delimiter.Find(text, begin);
      const size_t end = static_cast<size_t>(cut.data() - text.data());
      if (keep(text.substr(begin, end - begin))) pieces_.push_back(text.substr(begin, end - begin));
      if (end == text.size() && cut.empty()) return;
      begin = end + cut.size();
    }
  }

 private:
  std::vector<string_view> pieces_;
};

}  // namespace internal

template <typename Delimiter, typename Predicate = AllowEmpty>
internal::SplitPieces StrSplit(string_view text, const Delimiter& delimiter, Predicate keep = {}) {
  internal::SplitPieces pieces;
  pieces.Cut(text.data() == nullptr ? string_view("") : text, internal::DelimiterOf(delimiter), keep);
  return pieces;
}

// formatter(std::string*, element) appends an element.
template <typename Iterator, typename Formatter>
std::string StrJoin(Iterator begin, Iterator end, string_view separator, Formatter&& formatter) {
  std::string text;
  for (Iterator at = begin; at != end; ++at) {
    if (at != begin) text.append(separator);
    formatter(&text, *at);
  }
  return text;
}

struct AlphaNumFormatter {
  template <typename T>
  void operator()(std::string* text, const T& value) const {
    StrAppend(text, value);
  }
};

// "key=value".
template <typename First, typename Second>
auto PairFormatter(First first, string_view between, Second second) {
  return [=](std::string* text, const auto& pair) {
    first(text, pair.first);
    text->append(between);
    second(text, pair.second);
  };
}
inline auto PairFormatter(string_view between) {
  return PairFormatter(AlphaNumFormatter(), between, AlphaNumFormatter());
}

template <typename Iterator>
std::string StrJoin(Iterator begin, Iterator end, string_view separator) {
  return StrJoin(begin, end, separator, AlphaNumFormatter());
}
template <typename Range, typename Formatter, typename = decltype(std::declval<const Range&>().begin()),
          typename = std::enable_if_t<!std::is_convertible_v<Formatter, string_view>>>
std::string StrJoin(const Range& range, string_view separator, Formatter&& formatter) {
  return StrJoin(range.begin(), range.end(), separator, formatter);
}
template <typename Range, typename = decltype(std::declval<const Range&>().begin())>
std::string StrJoin(const Range& range, string_view separator) {
  return StrJoin(range.begin(), range.end(), separator, AlphaNumFormatter());
}
template <typename T>
std::string StrJoin(std::initializer_list<T> range, string_view separator) {
  return StrJoin(range.begin(), range.end(), separator, AlphaNumFormatter());
}
template <typename... T>
std::string StrJoin(const std::tuple<T...>& values, string_view separator) {
  std::string text;
  bool is_first = true;
  const auto append = [&](const auto& value) {
    StrAppend(&text, std::exchange(is_first, false) ? string_view() : separator, value);
  };
  std::apply([&](const auto&... value) { (append(value), ...); }, values);
  return text;
}

OPSRUN_ABSL_END
