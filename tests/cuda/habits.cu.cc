// tests/cuda/habits.cu.cc: ops that add one, each with a GPU kernel that breaks a rule.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/opsrun.h"

OPSRUN_PLUGIN("habits", "1.0.0");

namespace {

using namespace opsrun;

__global__ void AddOne(int n, const int* in, int* out) {
  for (int i : GpuGridRangeX(n)) out[i] = in[i] + 1;
}

// In device memory, because a compiler may assume that a loop over a local variable ends.
__global__ void NeverEnd(volatile int* zero) {
  *zero = 0;
  while (*zero == 0) {
  }
}

void Adds(OpKernelContext* context, int n, const int* in, int* out) {
  AddOne<<<1, 32, 0, GetGpuStream(context)>>>(n, in, out);
}
// Waits, as kernels in many programs do to find errors early.
void AddsAndWaits(OpKernelContext* context, int n, const int* in, int* out) {
  Adds(context, n, in, out);
  cudaStreamSynchronize(GetGpuStream(context));
  cudaDeviceSynchronize();
}
void AddsWithoutStream(OpKernelContext*, int n, const int* in, int* out) {
  AddOne<<<1, 32>>>(n, in, out);
}
// A card rejects launches with more than 1,024 threads per block; <<<>>> does not report it.
void AddsByAThreadEach(OpKernelContext* context, int n, const int* in, int* out) {
  AddOne<<<1, n, 0, GetGpuStream(context)>>>(n, in, out);
}
void NeverAdds(OpKernelContext* context, int n, const int* in, int* out) {
  NeverEnd<<<1, 1, 0, GetGpuStream(context)>>>(out);
  Adds(context, n, in, out);
}

template <void (*compute)(OpKernelContext*, int, const int*, int*)>
class HabitOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& in = context->input(0);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, in.shape(), &out));
    compute(context, static_cast<int>(in.NumElements()), in.flat<int>().data(), out->flat<int>().data());
  }
};

// Waiting in the constructor does not delay a run.
class EarlyOp final : public HabitOp<Adds> {
 public:
  explicit EarlyOp(OpKernelConstruction* context) : HabitOp(context) { cudaDeviceSynchronize(); }
};

REGISTER_OP("None").Input("in: int32").Output("out: int32").SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("Wait").Input("in: int32").Output("out: int32").SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("WaitAsSaid").Input("in: int32").Output("out: int32").SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("WaitEarly").Input("in: int32").Output("out: int32").SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("Endless").Input("in: int32").Output("out: int32").SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("ThreadEach").Input("in: int32").Output("out: int32").SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("NoStream").Input("in: int32").Output("out: int32").SetShapeFn(shape_inference::UnchangedShape);
REGISTER_KERNEL_BUILDER(Name("None").Device(DEVICE_GPU).Capturable(), HabitOp<Adds>)
REGISTER_KERNEL_BUILDER(Name("Wait").Device(DEVICE_GPU), HabitOp<AddsAndWaits>)
REGISTER_KERNEL_BUILDER(Name("WaitAsSaid").Device(DEVICE_GPU).Waits(), HabitOp<AddsAndWaits>)
REGISTER_KERNEL_BUILDER(Name("WaitEarly").Device(DEVICE_GPU), EarlyOp)
REGISTER_KERNEL_BUILDER(Name("Endless").Device(DEVICE_GPU).Capturable(), HabitOp<NeverAdds>)
REGISTER_KERNEL_BUILDER(Name("ThreadEach").Device(DEVICE_GPU), HabitOp<AddsByAThreadEach>)
REGISTER_KERNEL_BUILDER(Name("NoStream").Device(DEVICE_GPU), HabitOp<AddsWithoutStream>)

}  // namespace
