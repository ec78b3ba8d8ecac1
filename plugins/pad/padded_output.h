// plugins/pad/padded_output.h: what the kernels of Pad, PadV2 and MirrorPad do alike, before any element is written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axes.h"
#include "opsrun/op_kernel.h"

namespace pad {

// Do the ranks of input and paddings fit these kernels and each other?
opsrun::Status CheckShapes(opsrun::OpKernelContext* context);

// The input's dimensions with borders as they were given. Requires: CheckShapes agreed.
void ReadAxes(opsrun::OpKernelContext* context, Axis* axes);

// Makes output 0. Requires: no border is negative. *done: its elements are there too, since there are none, or since it
// is the input without a border, in the input's memory if the host allows that.
opsrun::Status MakeOutput(opsrun::OpKernelContext* context, const Axis* axes, opsrun::Tensor** output, bool* done);

}  // namespace pad
