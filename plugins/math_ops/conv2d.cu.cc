// plugins/math_ops/conv2d.cu.cc: convolutions and their gradients on a GPU: of integers, and of floats where cuDNN is
// not available or refuses them (GpuConvolver).
//
// A convolution is a matrix product whose factors are not stored: the threads of a block load tiles of them from
// images, filter or gradient, as for matrices (gpu_tiles.cu.h; an implicit GEMM; Chetlur and others, cuDNN: Efficient
// Primitives for Deep Learning, 2014). Neighbors are along the channels, so a multiple of kNeighbors of these is needed
// to read several at once.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "conv2d_ops.h"
#include "gpu_images.cu.h"
#include "gpu_tiles.cu.h"
#include "opsrun/gpu_copy.h"

namespace math_ops {
namespace {

// Moves the place (outer, middle, inner) n elements further, in an array of [middle_size, inner_size] for each `outer`.
__device__ inline void Advance(int64* outer, int64* middle, int64* inner, int64 middle_size, int64 inner_size, int n) {
  *inner += n;
  while (*inner >= inner_size) {
    *inner -= inner_size;
    if (++*middle == middle_size) *middle = 0, ++*outer;
  }
}

// A place in a window.
struct Tap {
  int64 y, x, channel;  // of images, or of convolved images
};
__device__ inline Tap TapAt(const ImageWindows& images, int64 channels, int64 k) {
  const int64 tap = k / channels;
  return {tap / images.x.taps, tap % images.x.taps, k % channels};
}

// Whether kNeighbors<T> channels are aligned wherever they are a whole part of `channels`.
template <typename T>
bool HasVectors(int64 channels, const T* data) {
  return channels % kNeighbors<T> == 0 && IsAlignedFor<T, kNeighbors<T>>(data);
}

// Factors, as described in gpu_tiles.cu.h.

// Patches: a row for each window, of the pixels under it, [taps of y, taps of x, channels].
template <typename T>
struct Patches {
  typedef T Type;
  struct Place {
    Spot spot;
    Tap tap;
  };
  ImageWindows images;
  const T* data;
  bool has_vectors;

  Patches(const ImageWindows& images, const T* data)
      : images(images), data(data), has_vectors(HasVectors(images.channels, data)) {}

  __device__ Place PlaceAt(const T* /*data*/, int64 i, int64 k) const {
    return {SpotAt(images.y.windows, images.x.windows, i), TapAt(images, images.channels, k)};
  }
  __device__ void NextDepth(Place* place, int n) const {
    Tap& tap = place->tap;
    Advance(&tap.y, &tap.x, &tap.channel, images.x.taps, images.channels, n);
  }
  __device__ void NextNeighbor(Place* place) const { NextDepth(place, 1); }
  __device__ const T* Find(const Place& place) const {
    const int64 y = images.y.Pixel(place.spot.y, place.tap.y), x = images.x.Pixel(place.spot.x, place.tap.x);
    if (y < 0 || y >= images.y.size || x < 0 || x >= images.x.size) return nullptr;
    const int64 pixel = (place.spot.image * images.y.size + y) * images.x.size + x;
    return data + pixel * images.channels + place.tap.channel;
  }
  __device__ bool AlongSide() const { return false; }
};

// The same matrix, transposed.
template <typename T>
struct TransposedPatches : Patches<T> {
  using Patches<T>::Patches;
  typedef typename Patches<T>::Place Place;

  __device__ Place PlaceAt(const T* data, int64 i, int64 k) const { return Patches<T>::PlaceAt(data, k, i); }
  __device__ void NextDepth(Place* place, int n) const {
    Spot& spot = place->spot;
    Advance(&spot.image, &spot.y, &spot.x, this->images.y.windows, this->images.x.windows, n);
  }
  __device__ bool AlongSide() const { return true; }
};

// A row for each pixel, of the gradients of the windows over it, [taps of y, taps of x, filters]; 0 for a tap that no
// window has there.
template <typename T>
struct GradientsOfPixels {
  typedef T Type;
  typedef typename Patches<T>::Place Place;
  ImageWindows images;
  int64 filters;
  const T* data;
  bool has_vectors;

  GradientsOfPixels(const Convolution& c, const T* data)
      : images(c.images), filters(c.filters), data(data), has_vectors(HasVectors(filters, data)) {}

  __device__ Place PlaceAt(const T* /*data*/, int64 i, int64 k) const {
    return {SpotAt(images.y.size, images.x.size, i), TapAt(images, filters, k)};
  }
  __device__ void NextDepth(Place* place, int n) const {
    Tap& tap = place->tap;
    Advance(&tap.y, &tap.x, &tap.channel, images.x.taps, filters, n);
  }
  __device__ void NextNeighbor(Place* place) const { NextDepth(place, 1); }
  __device__ const T* Find(const Place& place) const {
    const int64 y = WindowWith(images.y, place.spot.y, place.tap.y),
                x = WindowWith(images.x, place.spot.x, place.tap.x);
    if (y < 0 || x < 0) return nullptr;
    const int64 window = (place.spot.image * images.y.windows + y) * images.x.windows + x;
    return data + window * filters + place.tap.channel;
  }
  __device__ bool AlongSide() const { return false; }
};

// The filter, [taps, channels, filters], with [taps, filters] along the depth, and a column for each channel.
template <typename T>
struct FilterOfChannels {
  typedef T Type;
  struct Place {
    const T* tap;  // its filters for the channel
    int64 filter;
  };
  int64 channels, filters;
  const T* data;
  bool has_vectors;

  FilterOfChannels(const Convolution& c, const T* data)
      : channels(c.images.channels), filters(c.filters), data(data), has_vectors(HasVectors(filters, data)) {}

  __device__ Place PlaceAt(const T* /*data*/, int64 i, int64 k) const {
    return {data + (k / filters * channels + i) * filters, k % filters};
  }
  __device__ void NextDepth(Place* place, int n) const {
    place->filter += n;
    for (; place->filter >= filters; place->filter -= filters) place->tap += channels * filters;
  }
  __device__ void NextNeighbor(Place* place) const { NextDepth(place, 1); }
  __device__ const T* Find(const Place& place) const { return place.tap + place.filter; }
  __device__ bool AlongSide() const { return false; }
};

template <ConvTask kTask>
struct ConvLaunches {
  template <typename T>
  static Status Run(OpKernelContext* context, const Convolution& c, const void* xs, const void* ys, void* outs) {
    const T *const x = static_cast<const T*>(xs), *const y = static_cast<const T*>(ys);
    T* const out = static_cast<T*>(outs);
    const ImageWindows& images = c.images;
    const int64 windows = images.batch * images.windows(), pixels = images.batch * images.y.size * images.x.size;
    if constexpr (kTask == ConvTask::kConvolve) {
      const MatrixFactor<T> filter(y, true, c.filters);
      return MultiplyOnGpu(context, {windows, c.patch(), c.filters}, Patches<T>(images, x), filter, out);
    } else if constexpr (kTask == ConvTask::kBackToImages) {
      return MultiplyOnGpu(context, {pixels, images.y.taps * images.x.taps * c.filters, images.channels},
                           GradientsOfPixels<T>(c, y), FilterOfChannels<T>(c, x), out);
    } else {
      const MatrixFactor<T> gradients(y, true, c.filters);
      return MultiplyOnGpu(context, {c.patch(), windows, c.filters}, TransposedPatches<T>(images, x), gradients, out);
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
