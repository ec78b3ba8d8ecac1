// absl/meta/type_traits.h: traits that std has since C++17, under abseil's names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN
using std::add_const_t;
using std::common_type_t;
using std::conditional_t;
using std::conjunction;
using std::decay_t;
using std::disjunction;
using std::enable_if_t;
using std::is_trivially_copy_constructible;
using std::is_trivially_destructible;
using std::make_signed_t;
using std::make_unsigned_t;
using std::negation;
using std::remove_const_t;
using std::remove_cv_t;
using std::remove_pointer_t;
using std::remove_reference_t;
using std::underlying_type_t;
using std::void_t;

namespace internal {
template <typename Call>
struct ResultOf;
template <typename F, typename... Arguments>
struct ResultOf<F(Arguments...)> : std::invoke_result<F, Arguments...> {};
}  // namespace internal
// std's is deprecated since C++17.
template <typename Call>
using result_of_t = typename internal::ResultOf<Call>::type;
template <typename T>
using remove_cvref_t = std::remove_cv_t<std::remove_reference_t<T>>;
OPSRUN_ABSL_END
