// plugins/math_ops/conv2d.cu.cc: convolutions and their gradients on a GPU: of integers, and of floats where cuDNN is
// not available or refuses them (GpuConvolver).
//
// A convolution is a matrix product whose factors are not stored: the threads of a block load tiles of them from
// images, filter or gradient, as matmul.cu.cc does from matrices (an implicit GEMM; Chetlur and others, cuDNN:
// Efficient Primitives for Deep Learning, 2014). float16 and bfloat16 are multiplied and added as float. Nothing is
// added with atomics, so results are the same in every run and on every card.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "conv2d_ops.h"
#include "gpu_images.cu.h"
#include "gpu_tiles.cu.h"
#include "opsrun/gpu_copy.h"

namespace math_ops {
namespace {

constexpr int kLoads = kTile * kDepth / kGpuThreads;  // elements of a tile that a thread loads

// The type in which T is multiplied.
template <typename T>
using Multiplied = std::conditional_t<std::is_same_v<T, int32_t>, uint32_t, Wide<T>>;

// A place in a window.
struct Tap {
  int64 y, x, channel;  // of images, or of convolved images
};
__device__ inline Tap TapAt(const ImageWindows& images, int64 channels, int64 k) {
  const int64 tap = k / channels;
  return {tap / images.x.taps, tap % images.x.taps, k % channels};
}

// Factors. At(row, k): the element in that row of the left factor, at depth k; At(k, column): of the right one. Row and
// Depth hold what is computed once for a row, and for a depth.

// Patches: a row for each window, of the pixels under it, [taps of y, taps of x, channels].
template <typename T>
struct Patches {
  typedef Spot Row;
  typedef Tap Depth;
  ImageWindows images;
  const T* data;

  __device__ Row RowAt(int64 i) const { return SpotAt(images.y.windows, images.x.windows, i); }
  __device__ Depth DepthAt(int64 k) const { return TapAt(images, images.channels, k); }
  __device__ Multiplied<T> At(const Row& row, const Depth& tap) const {
    const int64 y = images.y.Pixel(row.y, tap.y), x = images.x.Pixel(row.x, tap.x);
    if (y < 0 || y >= images.y.size || x < 0 || x >= images.x.size) return 0;
    const int64 pixel = (row.image * images.y.size + y) * images.x.size + x;
    return static_cast<Multiplied<T>>(data[pixel * images.channels + tap.channel]);
  }
};

// The same matrix, transposed.
template <typename T>
struct TransposedPatches {
  typedef Tap Row;
  typedef Spot Depth;
  Patches<T> patches;

  __device__ Row RowAt(int64 i) const { return patches.DepthAt(i); }
  __device__ Depth DepthAt(int64 k) const { return patches.RowAt(k); }
  __device__ Multiplied<T> At(const Row& row, const Depth& depth) const { return patches.At(depth, row); }
};

// A row for each pixel, of the gradients of the windows over it, [taps of y, taps of x, filters]; 0 for a tap that no
// window has there.
template <typename T>
struct GradientsOfPixels {
  typedef Spot Row;
  typedef Tap Depth;
  ImageWindows images;
  int64 filters;
  const T* data;

  __device__ Row RowAt(int64 i) const { return SpotAt(images.y.size, images.x.size, i); }
  __device__ Depth DepthAt(int64 k) const { return TapAt(images, filters, k); }
  __device__ Multiplied<T> At(const Row& row, const Depth& tap) const {
    const int64 y = WindowWith(images.y, row.y, tap.y), x = WindowWith(images.x, row.x, tap.x);
    if (y < 0 || x < 0) return 0;
    const int64 window = (row.image * images.y.windows + y) * images.x.windows + x;
    return static_cast<Multiplied<T>>(data[window * filters + tap.channel]);
  }
};

// A stored matrix, row-major.
template <typename T>
struct Stored {
  int64 columns;
  const T* data;
  __device__ Multiplied<T> At(int64 k, int64 column) const {
    return static_cast<Multiplied<T>>(data[k * columns + column]);
  }
};

// The filter with [taps, filters] along the depth, and a column for each channel.
template <typename T>
struct FilterOfChannels {
  int64 channels, filters;
  const T* data;
  __device__ Multiplied<T> At(int64 k, int64 column) const {
    return static_cast<Multiplied<T>>(data[(k / filters * channels + column) * filters + k % filters]);
  }
};

// The product is computed in parts of the depth, each with results of its own.
struct ProductSize {
  int64 rows, depth, columns;
  int64 part = 0, parts = 1;  // `part` of the depth

  __host__ __device__ int64 down() const { return (rows + kTile - 1) / kTile; }
  __host__ __device__ int64 across() const { return (columns + kTile - 1) / kTile; }
  int64 tiles() const { return down() * across() * parts; }
};

template <typename Left, typename Right, typename W, typename Out>
__global__ void __launch_bounds__(kGpuThreads) MultiplyFactors(ProductSize size, Left left, Right right, Out* out) {
  __shared__ typename ProductTile<W>::Factor lefts, rights;
  const int thread = static_cast<int>(threadIdx.x);
  const int64 of_part = size.down() * size.across();
  for (int64 tile = blockIdx.x; tile < of_part * size.parts; tile += gridDim.x) {
    const int64 part = tile / of_part, i = tile % of_part / size.across() * kTile, j = tile % size.across() * kTile;
    const int64 begin = part * size.part, end = begin + size.part < size.depth ? begin + size.part : size.depth;
    // Of the left tile, a thread loads one depth of several rows; of the right one, one column at several depths.
    const int own_depth = thread % kDepth, own_column = thread % kTile;
    typename Left::Row rows[kLoads];
    for (int e = 0; e < kLoads; ++e) {
      const int64 at = i + thread / kDepth + e * (kGpuThreads / kDepth);
      rows[e] = left.RowAt(at < size.rows ? at : 0);
    }
    ProductTile<W> sums;
    for (int64 d = begin; d < end; d += kDepth) {
      const bool has_depth = d + own_depth < end;
      const typename Left::Depth depth = left.DepthAt(has_depth ? d + own_depth : begin);
      for (int e = 0; e < kLoads; ++e) {
        const int of_row = thread / kDepth + e * (kGpuThreads / kDepth);
        lefts[own_depth][of_row] = has_depth && i + of_row < size.rows ? left.At(rows[e], depth) : W(0);
      }
      for (int e = 0; e < kLoads; ++e) {
        const int of_depth = thread / kTile + e * (kGpuThreads / kTile);
        const bool is_inside = d + of_depth < end && j + own_column < size.columns;
        rights[of_depth][own_column] = is_inside ? right.At(d + of_depth, j + own_column) : W(0);
      }
      sums.Add(lefts, rights);
    }
    sums.Write(i, j, size.rows, size.columns, out + part * size.rows * size.columns);
  }
}

template <typename W, typename T>
__global__ void __launch_bounds__(kGpuThreads) AddProducts(int64 n, int64 parts, const W* in, T* out) {
  for (int64 i : GpuGridRangeX(n)) {
    W sum = in[i];
    for (int64 part = 1; part < parts; ++part) sum += in[part * n + i];
    out[i] = static_cast<T>(sum);
  }
}

template <typename T, typename Left, typename Right, typename Out>
Status LaunchProduct(OpKernelContext* context, ProductSize size, const Left& left, const Right& right, Out* out) {
  size.part = (size.depth + size.parts - 1) / size.parts;
  const auto blocks = static_cast<unsigned>(std::min<int64>(size.tiles(), INT32_MAX));
  return GpuLaunchKernel(MultiplyFactors<Left, Right, Multiplied<T>, Out>, blocks, kGpuThreads, 0,
                         GetGpuStream(context), size, left, right, out);
}

// As many parts of the depth as keep a card busy; the number depends on the sizes alone.
template <typename T, typename Left, typename Right>
Status LaunchInParts(OpKernelContext* context, ProductSize size, const Left& left, const Right& right, T* out) {
  constexpr int64 kBusy = 256, kLeastDepth = 512;
  size.parts = std::clamp<int64>(kBusy / size.tiles(), 1, std::max<int64>(size.depth / kLeastDepth, 1));
  if (size.parts == 1) return LaunchProduct<T>(context, size, left, right, out);
  const int64 n = size.rows * size.columns;
  Tensor temporary;
  const int64 bytes = size.parts * n * static_cast<int64>(sizeof(Multiplied<T>));
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({bytes}), &temporary));
  auto* const products = static_cast<Multiplied<T>*>(temporary.data());
  TF_RETURN_IF_ERROR(LaunchProduct<T>(context, size, left, right, products));
  return GpuLaunchKernel(AddProducts<Multiplied<T>, T>, GpuBlocks(n), kGpuThreads, 0, GetGpuStream(context), n,
                         size.parts, products, out);
}

template <ConvTask kTask>
struct ConvLaunches {
  template <typename T>
  static Status Run(OpKernelContext* context, const Convolution& c, const void* xs, const void* ys, void* outs) {
    const T *const x = static_cast<const T*>(xs), *const y = static_cast<const T*>(ys);
    T* const out = static_cast<T*>(outs);
    const ImageWindows& images = c.images;
    const int64 windows = images.batch * images.windows(), pixels = images.batch * images.y.size * images.x.size;
    if constexpr (kTask == ConvTask::kConvolve) {
      return LaunchProduct<T>(context, {windows, c.patch(), c.filters}, Patches<T>{images, x}, Stored<T>{c.filters, y},
                              out);
    } else if constexpr (kTask == ConvTask::kBackToImages) {
      return LaunchProduct<T>(context, {pixels, images.y.taps * images.x.taps * c.filters, images.channels},
                              GradientsOfPixels<T>{images, c.filters, y},
                              FilterOfChannels<T>{images.channels, c.filters, x}, out);
    } else {
      return LaunchInParts<T>(context, {c.patch(), windows, c.filters}, TransposedPatches<T>{{images, x}},
                              Stored<T>{c.filters, y}, out);
    }
  }
};

REGISTER_KERNEL_BUILDER(ON_GPU("Conv2D", ConvTypes).Capturable(), Conv2DOp<GpuConvolver>)
REGISTER_KERNEL_BUILDER(ON_GPU("Conv2DBackpropInput", ConvTypes).HostMemory("input_sizes").Capturable(),
                        Conv2DBackpropOp<0, GpuConvolver>)
REGISTER_KERNEL_BUILDER(ON_GPU("Conv2DBackpropFilter", ConvTypes).HostMemory("filter_sizes").Capturable(),
                        Conv2DBackpropOp<1, GpuConvolver>)

}  // namespace

ConvLoop GpuConvLoop(ConvTask task, DataType type) {
  return task == ConvTask::kConvolve       ? LoopFor<ConvLaunches<ConvTask::kConvolve>>(type, ConvTypes())
         : task == ConvTask::kBackToImages ? LoopFor<ConvLaunches<ConvTask::kBackToImages>>(type, ConvTypes())
                                           : LoopFor<ConvLaunches<ConvTask::kBackToFilter>>(type, ConvTypes());
}

Status CopyOnGpu(OpKernelContext* context, const CopiedDim (&dims)[4], DataType type, const void* from, void* to) {
  const CopiedDim* sorted[] = {&dims[0], &dims[1], &dims[2], &dims[3]};
  std::sort(sorted, sorted + 4, [](const CopiedDim* a, const CopiedDim* b) { return a->to > b->to; });
  GpuCopyLoops loops;
  for (const CopiedDim* dim : sorted) loops.AddInside({dim->size, dim->from, dim->to});
  return loops.Enqueue(GetGpuStream(context), DataTypeSize(type), from, to);
}

}  // namespace math_ops

#endif  // GOOGLE_CUDA
