// absl/functional/any_invocable.h: absl::AnyInvocable, here a shared function object, which may be one that cannot be
// copied. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN

template <typename Signature>
class AnyInvocable;

template <typename Result, typename... Arguments>
class AnyInvocable<Result(Arguments...)> {
 public:
  AnyInvocable() = default;
  AnyInvocable(std::nullptr_t) {}
  template <typename F, typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, AnyInvocable> &&
                                                    std::is_invocable_r_v<Result, std::decay_t<F>&, Arguments...>>>
  AnyInvocable(F&& f) {
    auto shared = std::make_shared<std::decay_t<F>>(std::forward<F>(f));
    call_ = [shared](Arguments... arguments) -> Result { return (*shared)(std::forward<Arguments>(arguments)...); };
  }
  AnyInvocable(AnyInvocable&&) = default;
  AnyInvocable& operator=(AnyInvocable&&) = default;

  explicit operator bool() const { return static_cast<bool>(call_); }
  Result operator()(Arguments... arguments) { return call_(std::forward<Arguments>(arguments)...); }

 protected:
  std::function<Result(Arguments...)> call_;
};
template <typename Result, typename... Arguments>
class AnyInvocable<Result(Arguments...) &&> : public AnyInvocable<Result(Arguments...)> {
 public:
  using AnyInvocable<Result(Arguments...)>::AnyInvocable;
  Result operator()(Arguments... arguments) && { return this->call_(std::forward<Arguments>(arguments)...); }
};
template <typename Result, typename... Arguments>
class AnyInvocable<Result(Arguments...) const> : public AnyInvocable<Result(Arguments...)> {
 public:
  using AnyInvocable<Result(Arguments...)>::AnyInvocable;
  Result operator()(Arguments... arguments) const { return this->call_(std::forward<Arguments>(arguments)...); }
};

OPSRUN_ABSL_END
