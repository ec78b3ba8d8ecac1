// absl/functional/bind_front.h: absl::bind_front.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <tuple>
#include <utility>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN

template <typename F, typename... Bound>
auto bind_front(F&& f, Bound&&... bound) {
  return [f = std::decay_t<F>(std::forward<F>(f)),
          first = std::tuple<std::decay_t<Bound>...>(std::forward<Bound>(bound)...)](auto&&... rest) {
    return std::apply([&](const auto&... b) { return std::invoke(f, b..., std::forward<decltype(rest)>(rest)...); },
                      first);
  };
}

OPSRUN_ABSL_END
