// absl/cleanup/cleanup.h: absl::Cleanup: calls a function at the end of the scope.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN

template <typename F>
class Cleanup {
 public:
  Cleanup(F f) : f_(std::move(f)) {}
  Cleanup(Cleanup&& other) : f_(std::move(other.f_)), is_armed_(std::exchange(other.is_armed_, false)) {}
  ~Cleanup() { std::move(*this).Invoke(); }
  void Cancel() && { is_armed_ = false; }
  void Invoke() && {
    if (std::exchange(is_armed_, false)) f_();
  }

 private:
  F f_;
  bool is_armed_ = true;
};
template <typename F>
Cleanup<F> MakeCleanup(F f) {
  return Cleanup<F>(std::move(f));
}

OPSRUN_ABSL_END
