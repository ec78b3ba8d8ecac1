// plugins/array_ops/transpose.h: views whose rows lie across those of the array, copied in squares that fit a cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "view.h"

namespace array_ops {

// Copies the view to `dense`, if its elements that are side by side are far apart in the array and another dimension
// has those that are adjacent. False: nothing has happened. Requires: the view is simplified and has elements.
bool CopyTransposed(opsrun::OpKernelContext* context, const View& view, const opsrun::Tensor& array,
                    opsrun::Tensor* dense);

}  // namespace array_ops
