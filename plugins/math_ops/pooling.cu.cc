// plugins/math_ops/pooling.cu.cc: poolings of images and their gradients on a GPU: a thread for each value.
//
// Nothing is added with atomics, so results are the same in every run and on every card.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "pooling.h"

#include "gpu_images.cu.h"

namespace math_ops {
namespace {

__device__ inline Spot WindowAt(const ImageWindows& images, int64 i) {
  return SpotAt(images.y.windows, images.x.windows, i / images.channels);
}

// Calls fn(position in the image) for each pixel of a window and one channel, in row-major order.
template <typename Fn>
__device__ inline void ForPixels(const ImageWindows& images, const Spot& window, int64 channel, const Fn& fn) {
  for (int64 tap_y = images.y.FirstTap(window.y); tap_y < images.y.EndTap(window.y); ++tap_y) {
    for (int64 tap_x = images.x.FirstTap(window.x); tap_x < images.x.EndTap(window.x); ++tap_x) {
      fn((images.y.Pixel(window.y, tap_y) * images.x.size + images.x.Pixel(window.x, tap_x)) * images.channels +
         channel);
    }
  }
}

// Calls fn(y, x) for each window over a pixel, in row-major order.
template <typename Fn>
__device__ inline void ForWindows(const ImageWindows& images, const Spot& pixel, const Fn& fn) {
  for (int64 tap_y = images.y.taps; tap_y-- > 0;) {
    const int64 y = WindowWith(images.y, pixel.y, tap_y);
    for (int64 tap_x = images.x.taps; y >= 0 && tap_x-- > 0;) {
      const int64 x = WindowWith(images.x, pixel.x, tap_x);
      if (x >= 0) fn(y, x);
    }
  }
}

__device__ inline int64 PixelsOf(const ImageWindows& images, int64 y, int64 x) {
  return (images.y.EndTap(y) - images.y.FirstTap(y)) * (images.x.EndTap(x) - images.x.FirstTap(x));
}

template <typename T>
__global__ void __launch_bounds__(kGpuThreads) MaxOfWindows(int64 n, ImageWindows images, const T* in, T* out) {
  for (int64 i : GpuGridRangeX(n)) {
    const Spot window = WindowAt(images, i);
    const T* const image = in + window.image * images.image_values();
    T largest = Smallest<T>();
    ForPixels(images, window, i % images.channels,
              [&](int64 at) { largest = IsLarger(image[at], largest) ? image[at] : largest; });
    out[i] = largest;
  }
}

// The position of each window's largest pixel in the image; -1: it has no pixels.
template <typename T>
__device__ inline int64 LargestOf(const ImageWindows& images, const Spot& window, int64 channel, const T* in) {
  const T* const image = in + window.image * images.image_values();
  int64 where = -1;
  ForPixels(images, window, channel,
            [&](int64 at) { where = where < 0 || IsLarger(image[at], image[where]) ? at : where; });
  return where;
}

template <typename T>
__global__ void __launch_bounds__(kGpuThreads) FindLargest(int64 n, ImageWindows images, const T* in, int64* out) {
  for (int64 i : GpuGridRangeX(n)) out[i] = LargestOf(images, WindowAt(images, i), i % images.channels, in);
}

template <typename T>
__global__ void __launch_bounds__(kGpuThreads)
    AddToLargest(int64 n, ImageWindows images, const int64* where, const T* grad, T* out) {
  for (int64 i : GpuGridRangeX(n)) {
    const Spot pixel = SpotAt(images.y.size, images.x.size, i / images.channels);
    const int64 in_image = i % images.image_values();
    Wide<T> sum = 0;
    ForWindows(images, pixel, [&](int64 y, int64 x) {
      const int64 window = ((pixel.image * images.y.windows + y) * images.x.windows + x) * images.channels;
      const int64 at = window + i % images.channels;
      if (where[at] == in_image) sum += static_cast<Wide<T>>(grad[at]);
    });
    out[i] = static_cast<T>(sum);
  }
}

template <typename T>
__global__ void __launch_bounds__(kGpuThreads)
    ReadAtLargest(int64 n, ImageWindows images, const T* in, const T* grad, T* out) {
  for (int64 i : GpuGridRangeX(n)) {
    const Spot window = WindowAt(images, i);
    const int64 where = LargestOf(images, window, i % images.channels, in);
    out[i] = where < 0 ? T(0) : grad[window.image * images.image_values() + where];
  }
}

template <typename T>
__global__ void __launch_bounds__(kGpuThreads) MeanOfWindows(int64 n, ImageWindows images, const T* in, T* out) {
  for (int64 i : GpuGridRangeX(n)) {
    const Spot window = WindowAt(images, i);
    const T* const image = in + window.image * images.image_values();
    Wide<T> sum = 0;
    ForPixels(images, window, i % images.channels, [&](int64 at) { sum += static_cast<Wide<T>>(image[at]); });
    out[i] = static_cast<T>(sum / static_cast<Wide<T>>(PixelsOf(images, window.y, window.x)));
  }
}

template <typename T>
__global__ void __launch_bounds__(kGpuThreads) SpreadMeans(int64 n, ImageWindows images, const T* grad, T* out) {
  for (int64 i : GpuGridRangeX(n)) {
    const Spot pixel = SpotAt(images.y.size, images.x.size, i / images.channels);
    Wide<T> sum = 0;
    ForWindows(images, pixel, [&](int64 y, int64 x) {
      const int64 window = ((pixel.image * images.y.windows + y) * images.x.windows + x) * images.channels;
      sum += static_cast<Wide<T>>(grad[window + i % images.channels]) / static_cast<Wide<T>>(PixelsOf(images, y, x));
    });
    out[i] = static_cast<T>(sum);
  }
}

// Computes n values from one tensor or, for a gradient, from two.
typedef Status (*GpuPoolLoop)(OpKernelContext* context, const ImageWindows& images, const void* in, const void* grad,
                              int64 n, void* out);

class GpuPoolKernel : public OpKernel {
 public:
  typedef GpuPoolLoop Loop;
  GpuPoolKernel(OpKernelConstruction* context, Loop loop, int64 /*pixels*/ = 1) : OpKernel(context), loop_(loop) {
    OP_REQUIRES_OK(context, GetImageAttrs(context, &attrs_));
  }

 protected:
  const ImageAttrs& attrs() const { return attrs_; }
  void ComputeParts(OpKernelContext* context, const ImageWindows& images, int64 /*parts*/, const Tensor& in,
                    const void* grad, const TensorShape& shape) const {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    OP_REQUIRES_OK(context, loop_(context, images, in.data(), grad, output->NumElements(), output->data()));
  }

 private:
  const Loop loop_;
  ImageAttrs attrs_;
};

// Of one tensor.
template <typename Kernels>
struct PoolLaunches {
  static constexpr const char* kInput = Kernels::kInput;
  static constexpr int64 kPixels = 1;

  template <typename T>
  static Status Run(OpKernelContext* context, const ImageWindows& images, const void* in, const void* /*grad*/, int64 n,
                    void* out) {
    return GpuLaunchKernel(Kernels::template Of<T>(), GpuBlocks(n), kGpuThreads, 0, GetGpuStream(context), n, images,
                           static_cast<const T*>(in), static_cast<T*>(out));
  }
};
struct MaxKernels {
  static constexpr const char* kInput = "input:input";
  template <typename T>
  static auto Of() {
    return MaxOfWindows<T>;
  }
};
struct MeanKernels {
  static constexpr const char* kInput = "input:value";
  template <typename T>
  static auto Of() {
    return MeanOfWindows<T>;
  }
};
struct SpreadKernels {
  static constexpr const char* kInput = "";
  template <typename T>
  static auto Of() {
    return SpreadMeans<T>;
  }
};

struct AddToLargestLaunches {
  template <typename T>
  static Status Run(OpKernelContext* context, const ImageWindows& images, const void* in, const void* grad, int64 n,
                    void* out) {
    const int64 windows = images.batch * images.windows() * images.channels;
    Tensor temporary;
    TF_RETURN_IF_ERROR(context->allocate_temp(DT_INT64, TensorShape({windows}), &temporary));
    int64* const where = temporary.flat<int64>().data();
    TF_RETURN_IF_ERROR(GpuLaunchKernel(FindLargest<T>, GpuBlocks(windows), kGpuThreads, 0, GetGpuStream(context),
                                       windows, images, static_cast<const T*>(in), where));
    return GpuLaunchKernel(AddToLargest<T>, GpuBlocks(n), kGpuThreads, 0, GetGpuStream(context), n, images, where,
                           static_cast<const T*>(grad), static_cast<T*>(out));
  }
};

struct ReadAtLargestLaunches {
  template <typename T>
  static Status Run(OpKernelContext* context, const ImageWindows& images, const void* in, const void* grad, int64 n,
                    void* out) {
    return GpuLaunchKernel(ReadAtLargest<T>, GpuBlocks(n), kGpuThreads, 0, GetGpuStream(context), n, images,
                           static_cast<const T*>(in), static_cast<const T*>(grad), static_cast<T*>(out));
  }
};

REGISTER_KERNEL_BUILDER(ON_GPU("MaxPool", MaxPoolTypes).Capturable(),
                        PoolOp<PoolLaunches<MaxKernels>, MaxPoolTypes, GpuPoolKernel>)
REGISTER_KERNEL_BUILDER(ON_GPU("MaxPoolGrad", MaxPoolTypes).Capturable(),
                        MaxPoolGradOp<false, AddToLargestLaunches, GpuPoolKernel>)
REGISTER_KERNEL_BUILDER(ON_GPU("MaxPoolGradGrad", MaxPoolTypes).Capturable(),
                        MaxPoolGradOp<true, ReadAtLargestLaunches, GpuPoolKernel>)
REGISTER_KERNEL_BUILDER(ON_GPU("AvgPool", Floats).Capturable(),
                        PoolOp<PoolLaunches<MeanKernels>, Floats, GpuPoolKernel>)
REGISTER_KERNEL_BUILDER(ON_GPU("AvgPoolGrad", Floats).HostMemory("orig_input_shape").Capturable(),
                        AvgPoolGradOp<PoolLaunches<SpreadKernels>, GpuPoolKernel>)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA
