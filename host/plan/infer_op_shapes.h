// host/plan/infer_op_shapes.h: the shape function of one op, called outside of a graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/base/status.h"
#include "host/plan/call_arrays.h"
#include "host/plugin/registry.h"
#include "host/spec/infer_attrs.h"
#include "host/spec/shape_engine.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// What is known about each input.
struct OpShapeInputs {
  std::vector<const opsrun_shape*> shapes;
  std::vector<const Tensor*> values;           // null: not known
  std::vector<const opsrun_shape*> as_shapes;  // what is known of its elements: see known_elements.h; otherwise null
};

struct OpShapeOutputs {
  std::vector<const opsrun_shape*> shapes;     // never null
  std::vector<const opsrun_shape*> as_shapes;  // what is known of the elements; null: nothing
  std::vector<uint32_t> wanted;                // inputs whose values the function asked for, but are not known
};

// The status of the shape function; INTERNAL if it throws. Without a shape function all shapes are unknown. All handles
// belong to `engine`.
Result<OpShapeOutputs> InferOpShapes(const RegisteredOp& op, const CallArrays& arrays, const spec::Signature& signature,
                                     const opsrun_host* host, const OpShapeInputs& inputs, spec::ShapeEngine& engine);

}  // namespace opsrun::host
