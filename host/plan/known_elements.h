// host/plan/known_elements.h: what is known of a tensor's elements before the run, as a shape whose dimensions they
// are.
//
// c_api.h says how at set_output_value. Tensors of integers of 32 or 64 bits have such elements, OPSRUN_MAX_RANK of
// them at most. All handles belong to `engine`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/base/status.h"
#include "host/spec/shape_engine.h"
#include "host/tensor/tensor.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// The elements of a tensor; null if it cannot have known elements.
const opsrun_shape* ElementsOf(const Tensor& tensor, spec::ShapeEngine& engine);

// False for null.
bool AllKnown(const opsrun_shape* elements, const spec::ShapeEngine& engine);

// The tensor of a type and a shape that has these elements; nothing unless all of them are known.
std::optional<Tensor> TensorOf(const opsrun_shape* elements, DType dtype, const opsrun_shape* shape,
                               const spec::ShapeEngine& engine);

// The elements that a shape function states for an output of this type and shape. Null if such a tensor cannot have
// known elements or if nothing is known of any; a number that the type does not have is not known. INTERNAL: the shape
// has another number of elements.
Result<const opsrun_shape*> CheckElements(const opsrun_shape* stated, DType dtype, const opsrun_shape* shape,
                                          spec::ShapeEngine& engine);

}  // namespace opsrun::host
