// plugins/array_ops/transpose.h: copies views whose rows run across the rows of the array, in squares that fit a cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "view.h"

namespace array_ops {

// Copies the view to `dense` if elements that are adjacent in the view are far apart in the array, and another
// dimension is contiguous in the array. Returns false if it copied nothing. Requires: the view is simplified and has
// elements.
bool CopyTransposed(opsrun::OpKernelContext* context, const View& view, const opsrun::Tensor& array,
                    opsrun::Tensor* dense);

}  // namespace array_ops
