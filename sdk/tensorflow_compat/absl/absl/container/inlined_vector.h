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

namespace internal {

// A std::vector<bool> has no bools that a view could show.
struct OneBool {
  OneBool(bool the_value = false) : value(the_value) {}
  operator bool&() { return value; }
  operator const bool&() const { return value; }
  bool value;
};

}  // namespace internal

template <size_t N, typename Allocator>
class InlinedVector<bool, N, Allocator> : public std::vector<internal::OneBool> {
 public:
  using std::vector<internal::OneBool>::vector;
  bool* data() { return reinterpret_cast<bool*>(std::vector<internal::OneBool>::data()); }
  const bool* data() const { return reinterpret_cast<const bool*>(std::vector<internal::OneBool>::data()); }
};

OPSRUN_ABSL_END
