// plugins/math_ops/clip.cu.cc: ClipByValue on a GPU.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "clip.h"

#include "gpu_elements.cu.h"

namespace math_ops {
namespace {

using namespace opsrun;

template <typename T>
__global__ void __launch_bounds__(kGpuThreads) ClipElements(ClipRun run) {
  const T *const x = static_cast<const T*>(run.x), *const lower = static_cast<const T*>(run.lower);
  const T* const upper = static_cast<const T*>(run.upper);
  for (int64 i : GpuGridRangeX(run.n)) {
    static_cast<T*>(run.out)[i] =
        static_cast<T>(Clip()(static_cast<Wide<T>>(x[i]), static_cast<Wide<T>>(lower[run.lower_walks ? i : 0]),
                              static_cast<Wide<T>>(upper[run.upper_walks ? i : 0])));
  }
}

struct GpuClips {
  template <typename T>
  static Status Launch(gpuStream_t stream, const ClipRun& run) {
    return GpuLaunchKernel(ClipElements<T>, GpuBlocks(run.n), kGpuThreads, 0, stream, run);
  }
  template <typename T>
  static auto For() {
    return &Launch<T>;
  }
};

class ClipOp : public ClipKernel {
 public:
  explicit ClipOp(OpKernelConstruction* context)
      : ClipKernel(context), launch_(LoopFor<GpuClips>(context->input_type(0), RealNumbers())) {}

 protected:
  Status Run(OpKernelContext* context, const ClipRun& run) const override {
    return launch_(GetGpuStream(context), run);
  }

 private:
  Status (*const launch_)(gpuStream_t stream, const ClipRun& run);
};
REGISTER_KERNEL_BUILDER(
    Name("ClipByValue").Device(DEVICE_GPU).TypeConstraint("T", {MATH_OPS_GPU_REAL_NUMBERS}).Capturable(), ClipOp)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA
