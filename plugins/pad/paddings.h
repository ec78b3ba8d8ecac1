// plugins/pad/paddings.h: checks the input `paddings`, and applies it to a shape.
//
// Every error names the input, the row and its numbers, and blames the input that caused it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "mirror_kernel.h"
#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"

namespace pad {

inline constexpr int kInput = 0;
inline constexpr int kPaddings = 1;

// INVALID_ARGUMENT, blaming paddings.
template <typename... Pieces>
opsrun::Status BadPaddings(const Pieces&... pieces) {
  return opsrun::errors::InvalidArgument(pieces...).Blame("input:paddings");
}

// The error for a wrong shape; also for shape functions, where the shape may be partly known.
opsrun::Status NotTwoColumns(const std::string& shape);
opsrun::Status NotARowForEach(int rank, const std::string& shape);

// INVALID_ARGUMENT: not a matrix of 2 columns with a row for each of `rank` dimensions.
opsrun::Status CheckPaddingsShape(const opsrun::TensorShape& paddings, int rank);

// Sets the borders of `rank` axes; leaves their sizes unchanged. Requires: CheckPaddingsShape returned OK.
void ReadPaddings(const opsrun::Tensor& paddings, int rank, Axis* axes);

// INVALID_ARGUMENT: a border of axis i is negative.
opsrun::Status CheckBorder(const Axis& axis, int i);
opsrun::Status NegativeBorder(const std::string& before, const std::string& after, int i);

// The same; also INVALID_ARGUMENT if a border is larger than what it mirrors.
opsrun::Status CheckMirror(const Axis& axis, int i, Edge edge);

// The shape of the output. INVALID_ARGUMENT: the size of the output in bytes overflows.
opsrun::Status PaddedShape(const Axis* axes, int rank, int64_t element_size, opsrun::TensorShape* shape);

// Checks and setup that the kernels of Pad, PadV2 and MirrorPad share.

// INVALID_ARGUMENT: the ranks of input and paddings do not match, or are not supported.
opsrun::Status CheckShapes(opsrun::OpKernelContext* context);

// The input's dimensions with the given borders. Requires: CheckShapes returned OK.
void ReadAxes(opsrun::OpKernelContext* context, Axis* axes);

// Makes output 0. Requires: borders are at least 0. *done: the output is complete, because it has no elements or equals
// the input; in the latter case it shares the input's memory if the host allows that.
opsrun::Status MakeOutput(opsrun::OpKernelContext* context, const Axis* axes, opsrun::Tensor** output, bool* done);

// The shape functions of Pad, PadV2, MirrorPad and MirrorPadGrad.

// Of Pad and PadV2. An output dimension is known if the input's is known and the paddings are constant.
opsrun::Status PadShape(opsrun::shape_inference::InferenceContext* c);

// Of MirrorPad: the same, and borders must not be larger than what they mirror, as far as that is known.
opsrun::Status MirrorPadShape(opsrun::shape_inference::InferenceContext* c);

// Of MirrorPadGrad: removes the borders.
opsrun::Status MirrorPadGradShape(opsrun::shape_inference::InferenceContext* c);

}  // namespace pad
