// host/gradcheck/compare_jacobians.h: where a declared Jacobian is not the measured one, and what it looks like.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "host/gradcheck/jacobian.h"

namespace opsrun::host {

struct JacobianDifference {
  double worst = 0;  // the largest |declared - measured| / max(1, |measured|); not finite if an entry is not
  size_t row = 0, column = 0;
  double declared = 0, measured = 0;
};

// Requires: equal sizes.
JacobianDifference CompareJacobians(const Jacobian& declared, const Jacobian& measured);

// What all entries in the columns of one feed, [first, first + shape), have in common: "all entries are 0.5 times what
// they should be", "it would be right if it were transposed"; empty if nothing is found. tolerance: as for `worst`.
std::string DescribeDifference(const Jacobian& declared, const Jacobian& measured, size_t first, const Tensor& feed,
                               double tolerance);

}  // namespace opsrun::host
