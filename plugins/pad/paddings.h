// plugins/pad/paddings.h: the input `paddings`: what it may be, and the axes that it makes of a shape.
//
// Every refusal names the input, the row and its numbers, and blames the input that is at fault.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "axes.h"
#include "mirror_kernel.h"
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

}  // namespace pad
