// opsrun_compat/persistent_tensor.h: PersistentTensor, a tensor that a kernel keeps between calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/op_kernel.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class PersistentTensor {
 public:
  PersistentTensor() = default;
  explicit PersistentTensor(const Tensor& tensor) : tensor_(tensor) {}

  template <typename Context>
  Tensor* AccessTensor(Context*) {
    return &tensor_;
  }
  bool IsInitialized() const { return tensor_.IsInitialized(); }
  int64 NumElements() const { return tensor_.NumElements(); }
  size_t AllocatedBytes() const { return tensor_.AllocatedBytes(); }

 private:
  Tensor tensor_;
};

}  // namespace OPSRUN_HIDDEN
