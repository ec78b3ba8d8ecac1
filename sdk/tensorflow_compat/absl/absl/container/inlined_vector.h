// absl/container/inlined_vector.h: absl::InlinedVector<T, N>, here a std::vector: the elements are on the heap.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include <vector>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN

template <typename T, size_t N, typename Allocator = std::allocator<T>>
class InlinedVector : public std::vector<T, Allocator> {
 public:
  using std::vector<T, Allocator>::vector;
};

OPSRUN_ABSL_END
