// plugins/math_ops/problem.cc: see problem.h.
// SPDX-License-Identifier: Apache-2.0
#include "problem.h"

#include <string>

namespace math_ops {

using namespace opsrun;

Status FirstProblem::ToStatus(const char* problem, const TensorShape& shape) const {
  std::string index;
  int64 rest = element_;
  for (int i = shape.dims() - 1; i >= 0; --i) {
    index = std::to_string(rest % shape.dim_size(i)) + (index.empty() ? "" : ",") + index;
    rest /= shape.dim_size(i);
  }
  return errors::InvalidArgument(problem, " at [", index, "]").Blame("input:y");
}

}  // namespace math_ops
