// opsrun_compat/edit_distance.h: gtl::LevenshteinDistance.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include <algorithm>
#include <vector>

#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace gtl {

// How many elements must be inserted, deleted or replaced to make one sequence of another. are_equal(a, b) compares an
// element of the first with one of the second.
template <typename First, typename Second, typename AreEqual>
int64_t LevenshteinDistance(const First& from, const Second& to, const AreEqual& are_equal) {
  const size_t n = to.size();
  std::vector<int64_t> row(n + 1), next(n + 1);  // distances of the part of `from` up to here to all parts of `to`
  for (size_t k = 0; k <= n; ++k) row[k] = static_cast<int64_t>(k);
  for (size_t i = 0; i < from.size(); ++i) {
    next[0] = static_cast<int64_t>(i) + 1;
    for (size_t k = 0; k < n; ++k) {
      const int64_t replaced = row[k] + (are_equal(from.data()[i], to.data()[k]) ? 0 : 1);
      next[k + 1] = std::min({replaced, row[k + 1] + 1, next[k] + 1});
    }
    row.swap(next);
  }
  return row[n];
}

}  // namespace gtl
}  // namespace OPSRUN_HIDDEN
