// plugins/math_ops/gpu_dnn_library.h: the cuDNN functions that convolutions use, declared without its header.
//
// Types are those of cudnn.h, with int for its enums. Where the toolkit has that header, a test compares every line
// with it. Source: cuDNN API reference, versions 8 and 9.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "gpu_library.h"

struct cudnnContext;
struct cudnnTensorStruct;
struct cudnnFilterStruct;
struct cudnnConvolutionStruct;
struct CUstream_st;

namespace math_ops {

typedef cudnnContext* CudnnHandle;
typedef cudnnTensorStruct* CudnnTensor;
typedef cudnnFilterStruct* CudnnFilter;
typedef cudnnConvolutionStruct* CudnnConvolution;

// Status codes. Those of version 9 are thousands, for the kind of failure, and details.
constexpr int kCudnnSuccess = 0;
constexpr int kCudnnNotInitialized = 1001, kCudnnBadParam = 2000, kCudnnNotSupported = 3000, kCudnnInternalError = 4000,
              kCudnnNoHostMemory = 4003, kCudnnNoDeviceMemory = 4004, kCudnnExecutionFailed = 5000;
constexpr int kCudnn8NotInitialized = 1, kCudnn8AllocFailed = 2, kCudnn8BadParam = 3, kCudnn8ArchMismatch = 6,
              kCudnn8NotSupported = 9, kCudnn8LicenseError = 10, kCudnn8PrerequisiteMissing = 11,
              kCudnn8VersionMismatch = 14;

constexpr int kCudnnFloat = 0, kCudnnDouble = 1, kCudnnHalf = 2, kCudnnBfloat16 = 9;
constexpr int kCudnnChannelsFirst = 0, kCudnnChannelsLast = 1;  // NCHW, NHWC
constexpr int kCudnnNotMirrored = 1;                            // cross-correlation
// For float64; for float16 and bfloat16; for float32, without rounding to TF32.
constexpr int kCudnnDefaultMath = 0, kCudnnTensorOpMath = 1, kCudnnFmaMath = 3;
// Algorithms that compute sums of products, in an order that depends only on the shapes. Others add with atomics, or
// round more often (Winograd, FFT).
constexpr int kCudnnForwardGemm = 0, kCudnnForwardPrecomputedGemm = 1, kCudnnBackwardDataGemm = 1,
              kCudnnBackwardFilterGemm = 1;

// X(result, name, parameters). Available in libcudnn since version 8. alpha and beta are in host memory, float, or
// double for double.
#define MATH_OPS_CUDNN_CALLS(X)                                                                                      \
  X(int, cudnnCreate, (CudnnHandle * handle))                                                                        \
  X(int, cudnnDestroy, (CudnnHandle handle))                                                                         \
  X(size_t, cudnnGetVersion, ())                                                                                     \
  X(const char*, cudnnGetErrorString, (int status))                                                                  \
  X(int, cudnnSetStream, (CudnnHandle handle, CUstream_st * stream))                                                 \
  X(int, cudnnCreateTensorDescriptor, (CudnnTensor * made))                                                          \
  X(int, cudnnDestroyTensorDescriptor, (CudnnTensor tensor))                                                         \
  X(int, cudnnSetTensor4dDescriptor, (CudnnTensor tensor, int format, int type, int n, int c, int h, int w))         \
  X(int, cudnnCreateFilterDescriptor, (CudnnFilter * made))                                                          \
  X(int, cudnnDestroyFilterDescriptor, (CudnnFilter filter))                                                         \
  X(int, cudnnSetFilter4dDescriptor, (CudnnFilter filter, int type, int format, int k, int c, int h, int w))         \
  X(int, cudnnCreateConvolutionDescriptor, (CudnnConvolution * made))                                                \
  X(int, cudnnDestroyConvolutionDescriptor, (CudnnConvolution convolution))                                          \
  X(int, cudnnSetConvolution2dDescriptor,                                                                            \
    (CudnnConvolution convolution, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h, int dilation_w, \
     int mode, int computed_in))                                                                                     \
  X(int, cudnnSetConvolutionMathType, (CudnnConvolution convolution, int math))                                      \
  X(int, cudnnGetConvolutionForwardWorkspaceSize,                                                                    \
    (CudnnHandle handle, CudnnTensor x, CudnnFilter w, CudnnConvolution convolution, CudnnTensor y, int algorithm,   \
     size_t* bytes))                                                                                                 \
  X(int, cudnnGetConvolutionBackwardDataWorkspaceSize,                                                               \
    (CudnnHandle handle, CudnnFilter w, CudnnTensor dy, CudnnConvolution convolution, CudnnTensor dx, int algorithm, \
     size_t* bytes))                                                                                                 \
  X(int, cudnnGetConvolutionBackwardFilterWorkspaceSize,                                                             \
    (CudnnHandle handle, CudnnTensor x, CudnnTensor dy, CudnnConvolution convolution, CudnnFilter dw, int algorithm, \
     size_t* bytes))                                                                                                 \
  X(int, cudnnConvolutionForward,                                                                                    \
    (CudnnHandle handle, const void* alpha, CudnnTensor x, const void* x_data, CudnnFilter w, const void* w_data,    \
     CudnnConvolution convolution, int algorithm, void* workspace, size_t bytes, const void* beta, CudnnTensor y,    \
     void* y_data))                                                                                                  \
  X(int, cudnnConvolutionBackwardData,                                                                               \
    (CudnnHandle handle, const void* alpha, CudnnFilter w, const void* w_data, CudnnTensor dy, const void* dy_data,  \
     CudnnConvolution convolution, int algorithm, void* workspace, size_t bytes, const void* beta, CudnnTensor dx,   \
     void* dx_data))                                                                                                 \
  X(int, cudnnConvolutionBackwardFilter,                                                                             \
    (CudnnHandle handle, const void* alpha, CudnnTensor x, const void* x_data, CudnnTensor dy, const void* dy_data,  \
     CudnnConvolution convolution, int algorithm, void* workspace, size_t bytes, const void* beta, CudnnFilter dw,   \
     void* dw_data))

struct GpuDnnLibrary : GpuLibrary<GpuDnnLibrary> {
  MATH_OPS_CALLS(MATH_OPS_CUDNN_CALLS)

  static constexpr int kVersions[] = {9, 8};  // newest first
  static constexpr GpuLibraryText kText = {"cuDNN",          "libcudnn.so.", "cudnnCreate",   "cudnnDestroy",
                                           "cudnnSetStream", "convolutions", "install cuDNN", "OPSRUN_CUDNN"};
  typedef CudnnHandle Handle;
  static constexpr auto kCreate = &GpuDnnLibrary::cudnnCreate;
  static constexpr auto kDestroy = &GpuDnnLibrary::cudnnDestroy;
  static constexpr auto kSetStream = &GpuDnnLibrary::cudnnSetStream;

  size_t Version(CudnnHandle /*handle*/) const { return cudnnGetVersion(); }
  std::string StatusText(int status) const {
    return std::string(cudnnGetErrorString(status)) + " (" + std::to_string(status) + ")";
  }

  static bool IsOutOfMemory(int status) {
    return status == kCudnn8AllocFailed || status == kCudnnNoHostMemory || status == kCudnnNoDeviceMemory;
  }
  // Bad parameters are also what cuDNN does not support: the sizes are right.
  static bool IsRefusal(int status) {
    return status == kCudnn8BadParam || status == kCudnn8ArchMismatch || status == kCudnn8NotSupported ||
           status == kCudnn8PrerequisiteMissing || (status >= kCudnnBadParam && status < kCudnnInternalError);
  }
  static bool IsUseless(int status) {
    return status == kCudnn8NotInitialized || status == kCudnn8LicenseError || status == kCudnn8VersionMismatch ||
           (status >= 1000 && status < kCudnnBadParam) || IsRefusal(status);
  }
};

}  // namespace math_ops
