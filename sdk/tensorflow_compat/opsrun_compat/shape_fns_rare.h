// opsrun_compat/shape_fns_rare.h: shape functions that few sources use: concatenation of quantized tensors, what comes
// out of an iterator, variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "opsrun/common_shape_fns.h"
#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

// The first `count` inputs are concatenated along the axis in the next one. Outputs 1 and 2, which bound the elements,
// are left to the caller.
OPSRUN_COLD inline ReturnedStatus QuantizedConcatV2Shape(InferenceContext* c, int count) {
  return internal::ConcatAlong(c, 0, count, count);
}

// Input 0 is a scalar. The attr output_shapes has the shape of each output.
OPSRUN_COLD inline ReturnedStatus DatasetIteratorShape(InferenceContext* c) {
  ShapeHandle scalar;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &scalar));
  std::vector<PartialTensorShape> stored;
  TF_RETURN_IF_ERROR(c->GetAttr("output_shapes", &stored));
  if (static_cast<int64_t>(stored.size()) != c->num_outputs()) {
    return internal::Invalid({"There are ", stored.size(), " shapes for ", c->num_outputs(), " outputs"})
        .Blame("attr:output_shapes");
  }
  for (size_t i = 0; i < stored.size(); ++i) {
    ShapeHandle shape;
    TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(stored[i], &shape));
    c->set_output(static_cast<int64_t>(i), shape);
  }
  return Status();
}

// Appends what is known of the variable behind input 0: nothing, because opsrun does not track the shapes behind
// resource handles.
inline ReturnedStatus ValidateVariableResourceHandle(InferenceContext* c, std::vector<ShapeAndType>* variable) {
  variable->emplace_back(c->UnknownShape(), DT_INVALID);
  return Status();
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN
