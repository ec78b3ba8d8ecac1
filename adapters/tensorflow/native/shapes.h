// adapters/tensorflow/native/shapes.h: shape functions of plugins for TensorFlow's shape inference.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensorflow/core/framework/shape_inference.h"
#include "typed_op.h"

namespace opsrun_tf {

// Sizes that are equal to those of inputs keep their TensorFlow handles. Never throws.
absl::Status InferShapes(const Op& op, tensorflow::shape_inference::InferenceContext* context);

}  // namespace opsrun_tf
