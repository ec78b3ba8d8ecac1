// opsrun/internal/shape_fns_bias.h: shapes of ops with a bias, which is one number for each channel.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/namespace.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Input 0 and the position of its channels: dimension 1 if the attr data_format is "NCHW", otherwise the last one. The
// attr is optional.
OPSRUN_COLD inline Status FindChannels(shape_inference::InferenceContext* c, shape_inference::ShapeHandle* input,
                                       int64_t* channels) {
  std::string data_format;
  const Status status = c->GetAttr("data_format", &data_format);
  if (!status.ok() && status.code() != error::NOT_FOUND) return status;
  const bool first = data_format == "NCHW";
  *channels = first ? 1 : -1;
  return c->WithRankAtLeast(c->input(0), first ? 3 : 2, input);
}

}  // namespace internal

namespace shape_inference {

// The shape of input 0, which must have as many channels as the vector in input 1 has elements.
OPSRUN_COLD inline ReturnedStatus BiasAddShape(InferenceContext* c) {
  ShapeHandle input, bias;
  int64_t channels = 0;
  TF_RETURN_IF_ERROR(internal::FindChannels(c, &input, &channels));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &bias));
  DimensionHandle merged;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(input, channels), c->Dim(bias, 0), &merged));
  TF_RETURN_IF_ERROR(c->ReplaceDim(input, channels, merged, &input));
  c->set_output(0, input);
  return Status();
}

// A vector with one element for each channel of input 0.
OPSRUN_COLD inline ReturnedStatus BiasAddGradShape(InferenceContext* c) {
  ShapeHandle input;
  int64_t channels = 0;
  TF_RETURN_IF_ERROR(internal::FindChannels(c, &input, &channels));
  c->set_output(0, c->Vector(c->Dim(input, channels)));
  return Status();
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN
