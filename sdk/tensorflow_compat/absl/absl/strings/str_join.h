// absl/strings/str_join.h: absl::StrJoin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

OPSRUN_ABSL_BEGIN

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
