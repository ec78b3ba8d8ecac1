// plugins/math_ops/gpu_elements.cu.h: what loops over elements on a GPU have in common, and types of elements as
// constraints of kernels. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/gpu_places.h"
#include "opsrun/status.h"
#include "types.h"

#define MATH_OPS_GPU_FLOATS opsrun::DT_HALF, opsrun::DT_BFLOAT16, opsrun::DT_FLOAT, opsrun::DT_DOUBLE
#define MATH_OPS_GPU_SIGNED_INTS opsrun::DT_INT8, opsrun::DT_INT16, opsrun::DT_INT32, opsrun::DT_INT64
#define MATH_OPS_GPU_UNSIGNED_INTS opsrun::DT_UINT8, opsrun::DT_UINT16, opsrun::DT_UINT32, opsrun::DT_UINT64
#define MATH_OPS_GPU_INTS MATH_OPS_GPU_SIGNED_INTS, MATH_OPS_GPU_UNSIGNED_INTS
#define MATH_OPS_GPU_REAL_NUMBERS MATH_OPS_GPU_FLOATS, MATH_OPS_GPU_INTS

namespace math_ops {

using opsrun::GpuBlocks;
using opsrun::GpuPack;
using opsrun::GpuPlaces;
using opsrun::gpuStream_t;
using opsrun::IsAlignedFor;
using opsrun::kGpuPackSize;
using opsrun::kGpuThreads;

}  // namespace math_ops
