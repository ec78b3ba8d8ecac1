// plugins/pad/paddings.h: the input `paddings`: what it may be, and the axes that it makes of a shape.
//
// Every refusal names the input, the row and its numbers, and blames the input that is at fault.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "mirror_kernel.h"
#include "moves.h"
#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"
#include "opsrun/tensor_shape.h"

namespace pad {

inline constexpr int kInput = 0;
inline constexpr int kPaddings = 1;

// INVALID_ARGUMENT, blaming paddings.
template <typename... Pieces>
opsrun::Status BadPaddings(const Pieces&... pieces) {
  return opsrun::errors::InvalidArgument(pieces...).Blame("input:paddings");
}

// The two sentences about its shape, for a shape function too, where a shape may be known in part.
opsrun::Status NotTwoColumns(const std::string& shape);
opsrun::Status NotARowForEach(int rank, const std::string& shape);

// Is it a matrix of 2 columns, with a row for each of `rank` dimensions?
opsrun::Status CheckPaddingsShape(const opsrun::TensorShape& paddings, int rank);

// Fills in the borders of `rank` axes and leaves their sizes as they are. Requires: CheckPaddingsShape agreed.
void ReadPaddings(const opsrun::Tensor& paddings, int rank, Axis* axes);

// Is no border of axis i negative?
opsrun::Status CheckBorder(const Axis& axis, int i);
opsrun::Status NegativeBorder(const std::string& before, const std::string& after, int i);

// That, and are there elements enough to fill the borders with?
opsrun::Status CheckMirror(const Axis& axis, int i, Edge edge);

// The output's shape, once it is sure that its bytes can be counted.
opsrun::Status PaddedShape(const Axis* axes, int rank, int64_t element_size, opsrun::TensorShape* shape);

// What the kernels of Pad, PadV2 and MirrorPad do alike, before any element is written.

// Do the ranks of input and paddings fit these kernels and each other?
opsrun::Status CheckShapes(opsrun::OpKernelContext* context);

// The input's dimensions with borders as they were given. Requires: CheckShapes agreed.
void ReadAxes(opsrun::OpKernelContext* context, Axis* axes);

// Makes output 0. Requires: no border is negative. *done: its elements are there too, since there are none, or since it
// is the input without a border, in the input's memory if the host allows that.
opsrun::Status MakeOutput(opsrun::OpKernelContext* context, const Axis* axes, opsrun::Tensor** output, bool* done);

// The shape functions of Pad, PadV2, MirrorPad and MirrorPadGrad.

// Of Pad and PadV2. Dimensions are known where the input's are and a graph writes the paddings down.
opsrun::Status PadShape(opsrun::shape_inference::InferenceContext* c);

// Of MirrorPad: the same, and borders must not be larger than what they show, as far as that is known.
opsrun::Status MirrorPadShape(opsrun::shape_inference::InferenceContext* c);

// Of MirrorPadGrad: the borders go away.
opsrun::Status MirrorPadGradShape(opsrun::shape_inference::InferenceContext* c);

}  // namespace pad
