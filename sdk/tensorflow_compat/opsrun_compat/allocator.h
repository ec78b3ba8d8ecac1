// opsrun_compat/allocator.h: the alignment of tensors. Kernels allocate with allocate_output and allocate_temp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "opsrun/allocator_attributes.h"
#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class Allocator {
 public:
  static constexpr size_t kAllocatorAlignment = 64;
};

}  // namespace OPSRUN_HIDDEN
