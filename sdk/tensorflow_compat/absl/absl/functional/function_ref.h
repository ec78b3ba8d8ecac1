// absl/functional/function_ref.h: absl::FunctionRef<R(A...)>: calls a function object that it does not own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN

template <typename Signature>
class FunctionRef;

template <typename Result, typename... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <typename F, typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, FunctionRef> &&
                                                    std::is_invocable_r_v<Result, F&, Arguments...>>>
  FunctionRef(const F& f)
      : object_(std::addressof(f)), call_([](const void* object, Arguments... arguments) -> Result {
          return (*const_cast<F*>(static_cast<const F*>(object)))(std::forward<Arguments>(arguments)...);
        }) {}
  Result operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  const void* object_;
  Result (*call_)(const void*, Arguments...);
};

OPSRUN_ABSL_END
