// plugins/pad/pad_shape.h: the shape functions of Pad, PadV2, MirrorPad and MirrorPadGrad.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/shape_inference.h"

namespace pad {

// Of Pad and PadV2. Dimensions are known where the input's are and a graph writes the paddings down.
opsrun::Status PadShape(opsrun::shape_inference::InferenceContext* c);

// Of MirrorPad: the same, and borders must not be larger than what they show, as far as that is known.
opsrun::Status MirrorPadShape(opsrun::shape_inference::InferenceContext* c);

// Of MirrorPadGrad: the borders go away.
opsrun::Status MirrorPadGradShape(opsrun::shape_inference::InferenceContext* c);

}  // namespace pad
