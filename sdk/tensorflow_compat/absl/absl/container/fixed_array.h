// absl/container/fixed_array.h: absl::FixedArray<T>: as many elements as its constructor says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include <vector>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN

template <typename T, size_t N = 0>
class FixedArray : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  void fill(const T& value) { this->assign(this->size(), value); }
};

OPSRUN_ABSL_END
