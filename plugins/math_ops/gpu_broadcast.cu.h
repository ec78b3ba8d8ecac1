// plugins/math_ops/gpu_broadcast.cu.h: where the elements of broadcast operands are, for kernels on a GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "broadcast.h"
#include "opsrun/gpu_places.h"

namespace math_ops {

// Requires: the output has elements.
template <int kOperands>
opsrun::GpuPlaces<kOperands> PlacesOf(const Broadcast& broadcast) {
  opsrun::GpuPlaces<kOperands> places;
  for (int d = 0; d < broadcast.rank(); ++d) places.AddInside(broadcast.dim(d).size, broadcast.dim(d).steps);
  return places;
}

}  // namespace math_ops
