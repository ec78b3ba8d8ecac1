// plugins/math_ops/problem.h: the first element at which a function is not defined, whichever thread finds it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "opsrun/status.h"
#include "opsrun/tensor_shape.h"
#include "types.h"

namespace math_ops {

class FirstProblem {
 public:
  // Any thread may call it.
  void Found(int64 element) {
    int64 first = element_;
    while (element < first && !element_.compare_exchange_weak(first, element)) {
    }
  }
  bool none() const { return element_ == opsrun::kint64max; }

  // "problem at [1,2]", with the index of the element in a tensor of that shape; blames input y. Requires: not none().
  opsrun::Status ToStatus(const char* problem, const opsrun::TensorShape& shape) const;

 private:
  std::atomic<int64> element_{opsrun::kint64max};
};

}  // namespace math_ops
