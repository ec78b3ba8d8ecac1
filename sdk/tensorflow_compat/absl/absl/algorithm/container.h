// absl/algorithm/container.h: algorithms of std on whole containers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN

#define OPSRUN_ABSL_C(name)                                                    \
  template <typename C, typename... More>                                      \
  auto c_##name(C&& c, More&&... more) {                                       \
    return std::name(std::begin(c), std::end(c), std::forward<More>(more)...); \
  }
OPSRUN_ABSL_C(accumulate)
OPSRUN_ABSL_C(adjacent_find)
OPSRUN_ABSL_C(all_of)
OPSRUN_ABSL_C(any_of)
OPSRUN_ABSL_C(binary_search)
OPSRUN_ABSL_C(copy)
OPSRUN_ABSL_C(copy_if)
OPSRUN_ABSL_C(count)
OPSRUN_ABSL_C(count_if)
OPSRUN_ABSL_C(fill)
OPSRUN_ABSL_C(find)
OPSRUN_ABSL_C(find_if)
OPSRUN_ABSL_C(find_if_not)
OPSRUN_ABSL_C(for_each)
OPSRUN_ABSL_C(generate)
OPSRUN_ABSL_C(iota)
OPSRUN_ABSL_C(is_sorted)
OPSRUN_ABSL_C(lower_bound)
OPSRUN_ABSL_C(max_element)
OPSRUN_ABSL_C(min_element)
OPSRUN_ABSL_C(none_of)
OPSRUN_ABSL_C(partial_sum)
OPSRUN_ABSL_C(reverse)
OPSRUN_ABSL_C(shuffle)
OPSRUN_ABSL_C(sort)
OPSRUN_ABSL_C(stable_sort)
OPSRUN_ABSL_C(transform)
OPSRUN_ABSL_C(upper_bound)
#undef OPSRUN_ABSL_C

template <typename C, typename T>
bool c_contains(const C& c, const T& value) {
  return std::find(std::begin(c), std::end(c), value) != std::end(c);
}
template <typename A, typename B>
bool c_equal(const A& a, const B& b) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}
template <typename A, typename B, typename T>
T c_inner_product(const A& a, const B& b, T sum) {
  return std::inner_product(std::begin(a), std::end(a), std::begin(b), std::move(sum));
}

OPSRUN_ABSL_END
