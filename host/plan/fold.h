// host/plan/fold.h: values that are known before the run: whole tensors and single elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/plan/plan.h"
#include "host/spec/shape_engine.h"
#include "host/tensor/tensor.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// The elements of a tensor; null if its elements cannot be known.
const opsrun_shape* ElementsOf(const Tensor& tensor, spec::ShapeEngine& engine);

// False for null.
bool AllKnown(const opsrun_shape* elements, const spec::ShapeEngine& engine);

// The tensor with these elements; nothing unless all are known.
std::optional<Tensor> TensorOf(const opsrun_shape* elements, DType dtype, const opsrun_shape* shape,
                               const spec::ShapeEngine& engine);

// The elements that a shape function states for an output of this type and shape. Null if elements of such a tensor
// cannot be known, or if none is; a number that does not fit the type is unknown. INTERNAL if the shape has another
// number of elements.
Result<const opsrun_shape*> CheckElements(const opsrun_shape* stated, DType dtype, const opsrun_shape* shape,
                                          spec::ShapeEngine& engine);

// Runs a plan without feeds during planning, if a shape function asks for the values of nodes, and returns its outputs.
// Returns nothing if it fails, with an error if it would fail in every run.
using RunAhead = std::function<std::optional<std::vector<Tensor>>(const Plan& plan, Diagnostics& diagnostics)>;

}  // namespace opsrun::host
