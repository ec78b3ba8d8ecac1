// host/cli/judge/compare.h: whether a result is right, and how accurate it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/cli/judge/judge.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

struct Likeness {
  enum Is {
    kSame,  // equal, but for what another order of a sum changes
    kNear,  // within a few percent: how accurate it is has to be measured
    kWrong,
  } is = kSame;
  int64_t place = 0;  // of a wrong element
};

// Requires: equal types and shapes. may_be_near: accuracy is measured; otherwise what is not the same is wrong. NaN is
// right where NaN is expected.
Likeness CompareOutputs(const Tensor& found, const Tensor& expected, bool may_be_near);

// "output 'y'[1, 2] is 3, expected 4".
std::string DescribeWrong(const std::string& output, const Tensor& found, const Tensor& expected, int64_t place);

// Empty if the candidate's errors are at most `factor` times the reference's, or below one unit in the last place.
std::string DescribeErrors(ErrorSpread& candidate, ErrorSpread& reference, double factor);

}  // namespace opsrun::host
