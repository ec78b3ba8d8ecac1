// host/plan/fold.h: values that are known before the run: of whole tensors, and of single elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/plan/plan.h"
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

// The interface through which planning runs plans.

// Planning runs nodes on constants if a shape function asks for their values. The room `run` implements this.
class RunAhead {
 public:
  virtual ~RunAhead() = default;

  // Runs a plan without feeds and returns its outputs. Nothing if it fails, with an error if it would also fail in
  // every run.
  virtual std::optional<std::vector<Tensor>> Run(const Plan& plan, Diagnostics& diagnostics) = 0;
};

}  // namespace opsrun::host
