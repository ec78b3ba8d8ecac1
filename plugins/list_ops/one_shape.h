// plugins/list_ops/one_shape.h: a list of inputs that must all have one shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"

namespace list_ops {

// The op's only inputs are the list `name`. *shape is what all of them know of it together.
opsrun::Status MergeAll(opsrun::shape_inference::InferenceContext* c, const char* name,
                        opsrun::shape_inference::ShapeHandle* shape);

// The same when the op runs: shapes that nobody knew before may differ.
opsrun::Status CheckOneShape(opsrun::OpKernelContext* context, const char* name);

}  // namespace list_ops
