// plugins/list_ops/cut.h: what the kernels of Unpack and Split do alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"

namespace list_ops {

// Makes all outputs, of shape `part`: they are `value` cut into equal parts along dimension `axis`.
opsrun::Status CutInto(opsrun::OpKernelContext* context, const opsrun::Tensor& value, opsrun::int64 axis,
                       const opsrun::TensorShape& part);

}  // namespace list_ops
