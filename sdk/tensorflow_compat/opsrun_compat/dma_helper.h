// opsrun_compat/dma_helper.h: DMAHelper::base, the address of a tensor's elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/tensor.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class DMAHelper {
 public:
  static const void* base(const Tensor* tensor) { return tensor->data(); }
  static void* base(Tensor* tensor) { return tensor->data(); }
  // Whether the elements are bytes, not objects.
  static bool CanUseDMA(const Tensor* tensor) {
    const DataType type = tensor->dtype();
    return type != DT_STRING && type != DT_RESOURCE && type != DT_VARIANT;
  }
};

}  // namespace OPSRUN_HIDDEN
