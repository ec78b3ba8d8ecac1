// tests/cuda/beside.cu.cc: ops with GPU kernels that use other streams, temporaries and tensors of earlier calls.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <mutex>

#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/opsrun.h"

OPSRUN_PLUGIN("beside", "1.0.0");

namespace {

using namespace opsrun;

__global__ void AddNumber(int n, int number, const int* in, int* out) {
  for (int i : GpuGridRangeX(n)) out[i] = in[i] + number;
}

template <typename... Args>
void Driver(const char* name, Args... args) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  reinterpret_cast<int (*)(Args...)>(dlsym(driver, name))(args...);
}

// Work on `stream` waits for what is now on `first`. Events of the driver, since the emulated runtime has none.
void Follow(void* stream, void* first) {
  void* event = nullptr;
  Driver("cuEventCreate", &event, 2u);
  Driver("cuEventRecord", event, first);
  Driver("cuStreamWaitEvent", stream, event, 0u);
  Driver("cuEventDestroy_v2", event);
}

// On a side stream, with a temporary; the host orders the streams by what is recorded as use.
REGISTER_OP("AddOnSide").Input("in: int32").Output("out: int32").SetShapeFn(shape_inference::UnchangedShape);
class AddOnSideOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& in = context->input(0);
    const int n = static_cast<int>(in.NumElements());
    Tensor* out = nullptr;
    Tensor temp;
    OP_REQUIRES_OK(context, context->allocate_output(0, in.shape(), &out));
    OP_REQUIRES_OK(context, context->allocate_temp(DT_INT32, in.shape(), &temp));
    opsrun_call* const call = context->call();
    const auto& cuda =
        *static_cast<const opsrun_cuda*>(call->host->query(call->host, {OPSRUN_CUDA_1, sizeof(OPSRUN_CUDA_1) - 1}));
    void* side = nullptr;
    OP_REQUIRES(context, cuda.side_stream(call, 1, &side) == OPSRUN_OK, errors::Internal("no side stream"));
    OP_REQUIRES(context, cuda.side_stream(call, 4, &side) == OPSRUN_OUT_OF_RANGE, errors::Internal("a fifth"));
    AddNumber<<<1, 32, 0, GetGpuStream(context)>>>(n, 1, in.flat<int>().data(), temp.flat<int>().data());
    Follow(side, GetGpuStream(context));
    AddNumber<<<1, 32, 0, static_cast<cudaStream_t>(side)>>>(n, 1, temp.flat<int>().data(), out->flat<int>().data());
    OP_REQUIRES(context, cuda.record_use(call->out[0], side) == OPSRUN_OK, errors::Internal("a use"));
  }
};
REGISTER_KERNEL_BUILDER(Name("AddOnSide").Device(DEVICE_GPU), AddOnSideOp)

// The input of the last call; at first, that of this one.
REGISTER_OP("Last").SetIsStateful().Input("in: int32").Output("out: int32").SetShapeFn(shape_inference::UnchangedShape);
class LastOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!last_.IsInitialized()) last_ = context->input(0);
    context->set_output(0, last_);
    last_ = context->input(0);
  }

 private:
  std::mutex mutex_;  // guards last_
  Tensor last_;
};
REGISTER_KERNEL_BUILDER(Name("Last").Device(DEVICE_GPU), LastOp)

}  // namespace
