// plugins/pad/paddings.h: checks the input `paddings`, and applies it to a shape.
//
// Every error names the input, the row and its numbers, and blames the input that caused it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "border_kernel.h"
#include "opsrun/check_shapes.h"
#include "opsrun/op_kernel.h"

namespace pad {

using namespace opsrun;

inline constexpr int kInput = 0, kPaddings = 1;

// The attr `mode` of MirrorPad. Context: OpKernelConstruction or InferenceContext.
template <typename Context>
Status GetMirror(Context* context, Border* border) {
  std::string mode;
  TF_RETURN_IF_ERROR(context->GetAttr("mode", &mode));
  *border = mode == "REFLECT" ? Border::kReflect : Border::kSymmetric;
  return Status::OK();
}

// The size of an element in its tensor.
inline int64_t ElementBytes(DataType type) {
  return type == DT_STRING ? int64_t{sizeof(tstring)} : DataTypeSize(type);
}

// INVALID_ARGUMENT: the ranks of input and paddings do not match, or are not supported.
Status CheckShapes(OpKernelContext* context);
// The input's dimensions with the given borders. Requires: CheckShapes returned OK.
void ReadAxes(OpKernelContext* context, Axis* axes);
// INVALID_ARGUMENT: a border of axis i is negative, or larger than what it mirrors.
Status CheckBorder(const Axis& axis, int i, Border border);
// Subtracts the border from the size of the axis, which includes it. The same errors.
Status TakeBorderOff(Axis* axis, int i, Border border);
// Makes output 0. Requires: borders are at least 0. *done: the output is complete, because it has no elements or equals
// the input; in the latter case it shares the input's memory if the host allows that. INVALID_ARGUMENT: the size of the
// output in bytes overflows.
Status MakeOutput(OpKernelContext* context, const Axis* axes, Tensor** output, bool* done);

// The shape function of Pad and PadV2. An output dimension is known if the input's is known and the paddings are
// constant.
Status PadShape(shape_inference::InferenceContext* c);
// Of MirrorPad: the same, and borders must not be larger than what they mirror, as far as that is known.
Status MirrorPadShape(shape_inference::InferenceContext* c);
// Of MirrorPadGrad: removes the borders.
Status MirrorPadGradShape(shape_inference::InferenceContext* c);

}  // namespace pad
