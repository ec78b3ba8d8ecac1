// plugins/median_pool/median_pool.cu.cc: MedianPool and its gradients on a GPU.
//
// A thread finds the median of one window: it determines one bit after the other, from the highest on, by counting the
// values that match the bits found so far. So it needs no memory for any window size, and reads the window once per
// bit.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include <cstring>

#include "opsrun/gpu_copy.h"
#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/gpu_sort.h"
#include "windows.h"

namespace median_pool {
namespace {

// Maps values to integers of the same order, and back. -0 comes before 0.
struct FloatKey {
  typedef float Value;
  static constexpr int kBits = 32;
  static constexpr uint32_t kSign = 0x80000000u;
  static __device__ uint32_t Of(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  }
  static __device__ float ValueOf(uint32_t key) {
    const uint32_t bits = (key & kSign) != 0 ? key & ~kSign : ~key;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
};
struct ByteKey {
  typedef uint8_t Value;
  static constexpr int kBits = 8;
  static __device__ uint32_t Of(uint8_t value) { return value; }
  static __device__ uint8_t ValueOf(uint32_t key) { return static_cast<uint8_t>(key); }
};

// The values of one window, in one channel.
template <typename T>
struct Window {
  const T* first;
  int64 height, width, row, column;  // row, column: distance between neighbors

  template <typename Visit>
  __device__ void ForEach(const Visit& visit) const {
    for (int64 y = 0; y < height; ++y) {
      for (int64 x = 0; x < width; ++x) visit(first[y * row + x * column]);
    }
  }
};

// Window i of all windows of all images, in the order of the output.
template <typename T>
__device__ inline Window<T> WindowOf(const Images& images, const T* in, int64 i) {
  const int64 channel = i % images.channels, x = i / images.channels % images.x.windows;
  const int64 row = i / images.output_row_values(), y = row % images.y.windows;
  const int64 image = row / images.y.windows, top = images.y.Begin(y), left = images.x.Begin(x);
  const T* const first = in + (image * images.y.size + top) * images.row_values() + left * images.channels + channel;
  return {first, images.y.End(y) - top, images.x.End(x) - left, images.row_values(), images.channels};
}

// The median, or the first NaN.
template <typename Key, typename T = typename Key::Value>
__device__ inline T MedianOfWindow(const Window<T>& window) {
  bool has_nan = false;
  T nan = T();
  window.ForEach([&](T value) {
    if (value != value && !has_nan) nan = value, has_nan = true;
  });
  if (has_nan) return nan;
  int64 rank = (window.height * window.width - 1) / 2;  // how many of the remaining values are below the median
  uint32_t median = 0;
  for (int bit = Key::kBits - 1; bit >= 0; --bit) {
    int64 zeros = 0;
    window.ForEach([&](T value) { zeros += Key::Of(value) >> bit == median << 1; });
    median <<= 1;
    if (rank >= zeros) rank -= zeros, median |= 1;
  }
  return Key::ValueOf(median);
}

template <typename Key>
__global__ void __launch_bounds__(kGpuThreads)
    FindMedians(int64 n, Images images, const typename Key::Value* in, typename Key::Value* out) {
  for (int64 i : GpuGridRangeX(n)) out[i] = MedianOfWindow<Key>(WindowOf(images, in, i));
}

// The index in all images of the first value of window i that equals the median, or of its first NaN.
__device__ inline int64 PlaceOfMedian(const Images& images, const float* in, int64 i) {
  const Window<float> window = WindowOf(images, in, i);
  const float median = MedianOfWindow<FloatKey>(window);
  int64 at = 0, place = -1;
  window.ForEach([&](float value) {
    if (place < 0 && (value == median || (value != value && median != median))) place = at;
    ++at;
  });
  return window.first - in + place / window.width * window.row + place % window.width * window.column;
}

__global__ void __launch_bounds__(kGpuThreads) FindPlaces(int64 n, Images images, const float* in, GpuKeyedRow* rows) {
  for (int64 i : GpuGridRangeX(n)) rows[i] = {PlaceOfMedian(images, in, i), i};
}
__global__ void __launch_bounds__(kGpuThreads)
    TakeAtMedians(int64 n, Images images, const float* in, const float* grad, float* out) {
  for (int64 i : GpuGridRangeX(n)) out[i] = grad[PlaceOfMedian(images, in, i)];
}

// Adds in the order of the windows, as the CPU does: they are sorted by the place of their median.
Status AddAtMedians(OpKernelContext* context, const Images& images, const WindowAttrs&, const float* in,
                    const float* grad, Tensor* output) {
  const int64 n = images.output_rows() * images.output_row_values();
  const cudaStream_t stream = GetGpuStream(context);
  float* const out = static_cast<float*>(output->data());
  Tensor memory;
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({2 * n * int64{sizeof(GpuKeyedRow)}}), &memory));
  GpuKeyedRow* const rows = static_cast<GpuKeyedRow*>(memory.data());
  const GpuKeyedRow* sorted = nullptr;
  const float zero = 0;
  TF_RETURN_IF_ERROR(GpuFill(stream, output->NumElements(), sizeof(float), &zero, out));
  TF_RETURN_IF_ERROR(GpuLaunchKernel(FindPlaces, GpuBlocks(n), kGpuThreads, 0, stream, n, images, in, rows));
  TF_RETURN_IF_ERROR(GpuSortByKey(stream, n, rows, rows + n, &sorted));
  return GpuLaunchKernel(GpuAddSortedRows<float, float>, GpuBlocks(n), kGpuThreads, 0, stream, n, 1, sorted, grad, out);
}

Status TakeOnGpu(OpKernelContext* context, const Images& images, const WindowAttrs&, const float* in, const float* grad,
                 Tensor* output) {
  const int64 n = output->NumElements();
  return GpuLaunchKernel(TakeAtMedians, GpuBlocks(n), kGpuThreads, 0, GetGpuStream(context), n, images, in, grad,
                         static_cast<float*>(output->data()));
}

template <typename Key>
struct GpuFinder {
  typedef typename Key::Value T;
  explicit GpuFinder(const WindowAttrs&) {}

  Status Run(OpKernelContext* context, const Images& images, const T* in, T* out) const {
    const int64 n = images.output_rows() * images.output_row_values();
    return GpuLaunchKernel(FindMedians<Key>, GpuBlocks(n), kGpuThreads, 0, GetGpuStream(context), n, images, in, out);
  }
};

#define GPU_KERNEL(T) Name("MedianPool").Device(DEVICE_GPU).TypeConstraint<T>("T").Capturable()
REGISTER_KERNEL_BUILDER(GPU_KERNEL(float), MedianPoolOp<float, GpuFinder<FloatKey>>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL(uint8), MedianPoolOp<uint8, GpuFinder<ByteKey>>)
REGISTER_KERNEL_BUILDER(Name("MedianPoolGrad").Device(DEVICE_GPU).Capturable(), MedianGradOp<AddAtMedians, false>)
REGISTER_KERNEL_BUILDER(Name("MedianPoolGradGrad").Device(DEVICE_GPU).Capturable(), MedianGradOp<TakeOnGpu, true>)

}  // namespace
}  // namespace median_pool

#endif  // GOOGLE_CUDA
