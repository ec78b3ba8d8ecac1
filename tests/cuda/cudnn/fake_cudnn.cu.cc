// tests/cuda/cudnn/fake_cudnn.cu.cc: a libcudnn.so.9 that needs no card, for programs that use the fake driver.
//
// It rejects descriptors that do not fit together, float64 and three channels of bfloat16 with the channels last,
// dilations with the precomputed algorithm, and algorithms and math that plugins/math_ops does not use.
// Data that is not aligned to 16 bytes makes it fail, as a card would.
// OPSRUN_FAKE_CUDNN=cudnnConvolutionForward:5000 makes a function return that status. Unlike in the real library, each
// descriptor owns device memory too: the fake driver reports one that is not destroyed, or made during a capture.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "plugins/math_ops/gpu_dnn_library.h"
#include "tests/cuda/fake_library.h"

struct cudnnContext {
  fake::OwnMemory own;
  CUstream_st* stream = nullptr;
};

// [n, c, h, w]; of a filter [k, c, h, w].
struct cudnnTensorStruct {
  int format = -1, type = -1, n = 0, c = 0, h = 0, w = 0;

  long long elements() const { return 1LL * n * c * h * w; }
  __host__ __device__ long long At(long long in, long long ic, long long ih, long long iw) const {
    return format == math_ops::kCudnnChannelsFirst ? ((in * c + ic) * h + ih) * w + iw
                                                   : ((in * h + ih) * w + iw) * c + ic;
  }
};
struct cudnnFilterStruct : cudnnTensorStruct {};

struct cudnnConvolutionStruct {
  int pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, mode, computed_in, math = 0;

  int Windows(int size, int taps, int pad, int stride, int dilation) const {
    const int room = size + 2 * pad - ((taps - 1) * dilation + 1);
    return room < 0 ? 0 : room / stride + 1;
  }
  bool Fits(const cudnnTensorStruct& x, const cudnnTensorStruct& w, const cudnnTensorStruct& y) const {
    return x.n == y.n && x.c == w.c && w.n == y.c && y.h == Windows(x.h, w.h, pad_h, stride_h, dilation_h) &&
           y.w == Windows(x.w, w.w, pad_w, stride_w, dilation_w);
  }
};

namespace {

using namespace math_ops;

enum Task { kForward, kData, kFilter };

// A convolution of x with w to y, of which one is computed.
struct Convolution {
  cudnnTensorStruct x, w, y;
  cudnnConvolutionStruct on;
  int algorithm;
};

int FailureOf(const char* call) {
  return fake::FailureOf(std::getenv("OPSRUN_FAKE_CUDNN"), call);
}

size_t WorkspaceOf(const Convolution& c) {
  return 256 + static_cast<size_t>(c.w.elements());
}

int Check(const Convolution& c, Task task) {
  const bool is_narrow = c.x.type == kCudnnHalf || c.x.type == kCudnnBfloat16, is_double = c.x.type == kCudnnDouble;
  for (const cudnnTensorStruct* tensor : {&c.x, &c.w, &c.y}) {
    if (tensor->type != c.x.type || tensor->format != c.x.format || tensor->elements() <= 0) return kCudnnBadParam;
  }
  if (!c.on.Fits(c.x, c.w, c.y) || c.on.mode != kCudnnNotMirrored) return kCudnnBadParam;
  if (c.on.computed_in != (is_double ? kCudnnDouble : kCudnnFloat)) return kCudnnNotSupported;
  if (c.on.math != (is_narrow ? kCudnnTensorOpMath : is_double ? kCudnnDefaultMath : kCudnnFmaMath)) {
    return kCudnnNotSupported;
  }
  const bool is_odd = c.x.type == kCudnnBfloat16 && c.x.c == 3;
  if ((is_double || is_odd) && c.x.format == kCudnnChannelsLast) return kCudnnNotSupported;
  if (task != kForward) return c.algorithm == kCudnnBackwardDataGemm ? kCudnnSuccess : kCudnnNotSupported;
  const bool is_dilated = c.on.dilation_h > 1 || c.on.dilation_w > 1;
  if (c.algorithm == kCudnnForwardPrecomputedGemm) return is_dilated ? kCudnnNotSupported : kCudnnSuccess;
  return c.algorithm == kCudnnForwardGemm && is_dilated ? kCudnnSuccess : kCudnnNotSupported;
}

// Adds up the products for one element of the result: those of a pixel of x, a tap of w and a window of y.
template <Task kTask, typename T>
struct Sum {
  const Convolution& c;
  const T *x, *w, *y;
  fake::Wide<T> sum = 0;

  __device__ void Add(long long n, long long channel, long long k, long long p, long long q, long long r, long long s) {
    const long long h = p * c.on.stride_h - c.on.pad_h + r * c.on.dilation_h,
                    v = q * c.on.stride_w - c.on.pad_w + s * c.on.dilation_w;
    if (h < 0 || h >= c.x.h || v < 0 || v >= c.x.w) return;
    typedef fake::Wide<T> W;
    const long long of_x = c.x.At(n, channel, h, v), of_w = c.w.At(k, channel, r, s), of_y = c.y.At(n, k, p, q);
    if (kTask == kForward) sum += static_cast<W>(x[of_x]) * static_cast<W>(w[of_w]);
    if (kTask == kData) sum += static_cast<W>(y[of_y]) * static_cast<W>(w[of_w]);
    if (kTask == kFilter) sum += static_cast<W>(x[of_x]) * static_cast<W>(y[of_y]);
  }
};

// The windows [0, count) with a tap at the pixel: there is one or none.
__device__ long long WindowAt(long long pixel, long long tap, int pad, int stride, int dilation, int count) {
  const long long at = pixel + pad - tap * dilation;
  return at >= 0 && at % stride == 0 && at / stride < count ? at / stride : -1;
}

template <Task kTask, typename T>
__global__ void ComputeElements(Convolution c, const T* x, const T* w, const T* y, T* out, unsigned char* workspace,
                                size_t bytes) {
  const cudnnTensorStruct& result = kTask == kForward ? c.y : kTask == kData ? c.x : c.w;
  const long long elements = 1LL * result.n * result.c * result.h * result.w;
  if (blockIdx.x == 0 && threadIdx.x == 0) ++workspace[0], ++workspace[bytes - 1];
  for (long long e = blockIdx.x * blockDim.x + threadIdx.x; e < elements; e += gridDim.x * blockDim.x) {
    const long long b = e % result.w, a = e / result.w % result.h, j = e / result.w / result.h % result.c,
                    i = e / result.w / result.h / result.c;
    Sum<kTask, T> sum = {c, x, w, y};
    if constexpr (kTask == kFilter) {
      for (int n = 0; n < c.y.n; ++n)
        for (int p = 0; p < c.y.h; ++p)
          for (int q = 0; q < c.y.w; ++q) sum.Add(n, j, i, p, q, a, b);
    } else {
      const int others = kTask == kForward ? c.w.c : c.w.n;
      for (int r = 0; r < c.w.h; ++r)
        for (int s = 0; s < c.w.w; ++s)
          for (int other = 0; other < others; ++other) {
            if (kTask == kForward) {
              sum.Add(i, other, j, a, b, r, s);
              continue;
            }
            const long long p = WindowAt(a, r, c.on.pad_h, c.on.stride_h, c.on.dilation_h, c.y.h),
                            q = WindowAt(b, s, c.on.pad_w, c.on.stride_w, c.on.dilation_w, c.y.w);
            if (p >= 0 && q >= 0) sum.Add(i, j, other, p, q, r, s);
          }
    }
    out[result.At(i, j, a, b)] = static_cast<T>(sum.sum);
  }
}

struct Data {
  const void *x, *w, *y;
  void* out;
  void* workspace;
  size_t bytes;
  const void *alpha, *beta;
};

template <Task kTask, typename T>
int Launch(CudnnHandle handle, const Convolution& c, const Data& data) {
  if (!fake::AreOneAndZero<T>(data.alpha, data.beta)) return kCudnnNotSupported;
  ComputeElements<kTask, T><<<dim3(4), dim3(64), 0, handle->stream>>>(
      c, static_cast<const T*>(data.x), static_cast<const T*>(data.w), static_cast<const T*>(data.y),
      static_cast<T*>(data.out), static_cast<unsigned char*>(data.workspace), data.bytes);
  return cudaGetLastError() == cudaSuccess ? kCudnnSuccess : kCudnnExecutionFailed;
}

template <Task kTask>
int Compute(const char* call, CudnnHandle handle, const Convolution& c, const Data& data) {
  if (const int status = FailureOf(call)) return status;
  if (const int status = Check(c, kTask)) return status;
  if (data.workspace == nullptr || reinterpret_cast<uintptr_t>(data.workspace) % 16 != 0) return kCudnnBadParam;
  if (data.bytes < WorkspaceOf(c)) return kCudnnBadParam;
  for (const void* const each : {data.x, data.w, data.y, static_cast<const void*>(data.out)}) {
    if (reinterpret_cast<uintptr_t>(each) % 16 != 0) return kCudnnExecutionFailed;
  }
  switch (c.x.type) {
    case kCudnnFloat:
      return Launch<kTask, float>(handle, c, data);
    case kCudnnDouble:
      return Launch<kTask, double>(handle, c, data);
    case kCudnnHalf:
      return Launch<kTask, OPSRUN_HALF>(handle, c, data);
    case kCudnnBfloat16:
      return Launch<kTask, opsrun::bfloat16>(handle, c, data);
    default:
      return kCudnnNotSupported;
  }
}

int AskForWorkspace(const char* call, const Convolution& c, Task task, size_t* bytes) {
  if (const int status = FailureOf(call)) return status;
  *bytes = WorkspaceOf(c);
  return Check(c, task);
}

template <typename Descriptor>
struct Owner : Descriptor {
  fake::OwnMemory own;
};
template <typename Descriptor>
int Make(Descriptor** made) {
  auto* const owner = new Owner<Descriptor>();
  *made = owner;
  return owner->own.Take() ? kCudnnSuccess : kCudnnNoDeviceMemory;
}
template <typename Descriptor>
int Destroy(Descriptor* descriptor) {
  auto* const owner = static_cast<Owner<Descriptor>*>(descriptor);
  const bool is_freed = owner->own.Free();
  delete owner;
  return is_freed ? kCudnnSuccess : kCudnnNotInitialized;
}

}  // namespace

extern "C" {

EXPORTED int cudnnCreate(CudnnHandle* handle) {
  if (const int status = FailureOf("cudnnCreate")) return status;
  *handle = new cudnnContext;
  return (*handle)->own.Take() ? kCudnnSuccess : kCudnnNoDeviceMemory;
}
EXPORTED int cudnnDestroy(CudnnHandle handle) {
  const bool is_freed = handle->own.Free();
  delete handle;
  return is_freed ? kCudnnSuccess : kCudnnNotInitialized;
}
EXPORTED size_t cudnnGetVersion() {
  return 90000;
}
EXPORTED const char* cudnnGetErrorString(int status) {
  return status == kCudnnNotInitialized   ? "CUDNN_STATUS_NOT_INITIALIZED"
         : status == kCudnnNoDeviceMemory ? "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"
                                          : "CUDNN_STATUS_OF_THE_FAKE";
}
EXPORTED int cudnnSetStream(CudnnHandle handle, CUstream_st* stream) {
  if (const int status = FailureOf("cudnnSetStream")) return status;
  return handle->stream = stream, kCudnnSuccess;
}

EXPORTED int cudnnCreateTensorDescriptor(CudnnTensor* made) {
  return Make(made);
}
EXPORTED int cudnnDestroyTensorDescriptor(CudnnTensor tensor) {
  return Destroy(tensor);
}
EXPORTED int cudnnSetTensor4dDescriptor(CudnnTensor tensor, int format, int type, int n, int c, int h, int w) {
  return *tensor = {format, type, n, c, h, w}, kCudnnSuccess;
}
EXPORTED int cudnnCreateFilterDescriptor(CudnnFilter* made) {
  return Make(made);
}
EXPORTED int cudnnDestroyFilterDescriptor(CudnnFilter filter) {
  return Destroy(filter);
}
EXPORTED int cudnnSetFilter4dDescriptor(CudnnFilter filter, int type, int format, int k, int c, int h, int w) {
  return *filter = {{format, type, k, c, h, w}}, FailureOf("cudnnSetFilter4dDescriptor");
}
EXPORTED int cudnnCreateConvolutionDescriptor(CudnnConvolution* made) {
  return Make(made);
}
EXPORTED int cudnnDestroyConvolutionDescriptor(CudnnConvolution convolution) {
  return Destroy(convolution);
}
EXPORTED int cudnnSetConvolution2dDescriptor(CudnnConvolution convolution, int pad_h, int pad_w, int stride_h,
                                             int stride_w, int dilation_h, int dilation_w, int mode, int computed_in) {
  if (pad_h < 0 || pad_w < 0 || stride_h < 1 || stride_w < 1 || dilation_h < 1 || dilation_w < 1) return kCudnnBadParam;
  *convolution = {pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, mode, computed_in};
  return kCudnnSuccess;
}
EXPORTED int cudnnSetConvolutionMathType(CudnnConvolution convolution, int math) {
  return convolution->math = math, kCudnnSuccess;
}

EXPORTED int cudnnGetConvolutionForwardWorkspaceSize(CudnnHandle, CudnnTensor x, CudnnFilter w, CudnnConvolution on,
                                                     CudnnTensor y, int algorithm, size_t* bytes) {
  return AskForWorkspace("cudnnGetConvolutionForwardWorkspaceSize", {*x, *w, *y, *on, algorithm}, kForward, bytes);
}
EXPORTED int cudnnGetConvolutionBackwardDataWorkspaceSize(CudnnHandle, CudnnFilter w, CudnnTensor y,
                                                          CudnnConvolution on, CudnnTensor x, int algorithm,
                                                          size_t* bytes) {
  return AskForWorkspace("cudnnGetConvolutionBackwardDataWorkspaceSize", {*x, *w, *y, *on, algorithm}, kData, bytes);
}
EXPORTED int cudnnGetConvolutionBackwardFilterWorkspaceSize(CudnnHandle, CudnnTensor x, CudnnTensor y,
                                                            CudnnConvolution on, CudnnFilter w, int algorithm,
                                                            size_t* bytes) {
  return AskForWorkspace("cudnnGetConvolutionBackwardFilterWorkspaceSize", {*x, *w, *y, *on, algorithm}, kFilter,
                         bytes);
}

EXPORTED int cudnnConvolutionForward(CudnnHandle handle, const void* alpha, CudnnTensor x, const void* x_data,
                                     CudnnFilter w, const void* w_data, CudnnConvolution on, int algorithm,
                                     void* workspace, size_t bytes, const void* beta, CudnnTensor y, void* y_data) {
  return Compute<kForward>("cudnnConvolutionForward", handle, {*x, *w, *y, *on, algorithm},
                           {x_data, w_data, nullptr, y_data, workspace, bytes, alpha, beta});
}
EXPORTED int cudnnConvolutionBackwardData(CudnnHandle handle, const void* alpha, CudnnFilter w, const void* w_data,
                                          CudnnTensor y, const void* y_data, CudnnConvolution on, int algorithm,
                                          void* workspace, size_t bytes, const void* beta, CudnnTensor x,
                                          void* x_data) {
  return Compute<kData>("cudnnConvolutionBackwardData", handle, {*x, *w, *y, *on, algorithm},
                        {nullptr, w_data, y_data, x_data, workspace, bytes, alpha, beta});
}
EXPORTED int cudnnConvolutionBackwardFilter(CudnnHandle handle, const void* alpha, CudnnTensor x, const void* x_data,
                                            CudnnTensor y, const void* y_data, CudnnConvolution on, int algorithm,
                                            void* workspace, size_t bytes, const void* beta, CudnnFilter w,
                                            void* w_data) {
  return Compute<kFilter>("cudnnConvolutionBackwardFilter", handle, {*x, *w, *y, *on, algorithm},
                          {x_data, nullptr, y_data, w_data, workspace, bytes, alpha, beta});
}
}
