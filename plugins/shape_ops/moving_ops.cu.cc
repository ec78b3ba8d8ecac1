// plugins/shape_ops/moving_ops.cu.cc: Reshape and Fill on a GPU.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "opsrun/gpu_copy.h"
#include "opsrun/gpu_kernel_helper.h"
#include "shape_ops.h"

namespace shape_ops {
namespace {

// [copy]
// step: the distance between elements in `from`, in elements.
Status CopyOnGpu(OpKernelContext* context, const Tensor& from, int64 step, Tensor* to) {
  GpuCopyLoops loops;
  loops.AddInside({to->NumElements(), step, 1});
  return loops.Enqueue(GetGpuStream(context), DataTypeSize(to->dtype()), from.data(), to->data());
}
// [/copy]
Status CopyElements(OpKernelContext* context, const Tensor& input, Tensor* output) {
  return CopyOnGpu(context, input, 1, output);
}
Status RepeatValue(OpKernelContext* context, const Tensor& value, Tensor* output) {
  return CopyOnGpu(context, value, 0, output);
}

#define GPU_KERNEL(name) Name(name).Device(DEVICE_GPU).TypeConstraint("T", kFixedSize).Capturable()
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Reshape").HostMemory("shape"), ReshapeOp<CopyElements>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Fill").HostMemory("dims"), FillOp<RepeatValue>)

}  // namespace
}  // namespace shape_ops

#endif  // GOOGLE_CUDA
