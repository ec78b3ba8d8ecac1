// tests/cuda/cublas/fake_cublas.cu.cc: a libcublas.so.13 that needs no card, for programs that use the fake driver.
//
// It computes column-major, one thread per element. Without a workspace it allocates one, which the fake driver reports
// during a capture. OPSRUN_FAKE_CUBLAS=cublasGemmEx:13 makes a function return that status.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plugins/math_ops/gpu_blas_library.h"
#include "tests/cuda/fake_library.h"

struct cublasContext {
  fake::OwnMemory own;
  CUstream_st* stream = nullptr;
  void* workspace = nullptr;  // null: none was set after the stream
  int mode = 0;
};

namespace {

using namespace math_ops;

using fake::Wide;

constexpr size_t kLeastWorkspace = 256;

int FailureOf(const char* call) {
  return fake::FailureOf(std::getenv("OPSRUN_FAKE_CUBLAS"), call);
}

// The arguments of a call. Its matrices are column-major, like all of cuBLAS.
struct Product {
  int a_operation, b_operation, m, n, k, a_leading, b_leading, c_leading, count;
  const void *alpha, *a, *b, *beta;
  void* c;
  long long a_stride, b_stride, c_stride;

  bool IsValid() const {
    const auto is_operation = [](int operation) { return operation == kCublasPlain || operation == kCublasTransposed; };
    return is_operation(a_operation) && is_operation(b_operation) && m >= 0 && n >= 0 && k >= 0 && count >= 0 &&
           a_leading >= std::max(1, a_operation == kCublasPlain ? m : k) &&
           b_leading >= std::max(1, b_operation == kCublasPlain ? k : n) && c_leading >= std::max(1, m);
  }
};

template <typename T>
__global__ void MultiplyColumns(Product on, unsigned* workspace) {
  const long long elements = static_cast<long long>(on.m) * on.n * on.count;
  if (blockIdx.x == 0 && threadIdx.x == 0) ++*workspace;
  for (long long e = blockIdx.x * blockDim.x + threadIdx.x; e < elements; e += gridDim.x * blockDim.x) {
    const long long i = e % on.m, j = e / on.m % on.n, product = e / on.m / on.n;
    const T* const a = static_cast<const T*>(on.a) + product * on.a_stride;
    const T* const b = static_cast<const T*>(on.b) + product * on.b_stride;
    Wide<T> sum = 0;
    for (long long p = 0; p < on.k; ++p) {
      sum += static_cast<Wide<T>>(a[on.a_operation == kCublasPlain ? p * on.a_leading + i : i * on.a_leading + p]) *
             static_cast<Wide<T>>(b[on.b_operation == kCublasPlain ? j * on.b_leading + p : p * on.b_leading + j]);
    }
    static_cast<T*>(on.c)[product * on.c_stride + j * on.c_leading + i] = static_cast<T>(sum);
  }
}

template <typename T>
int Enqueue(CublasHandle handle, const Product& on) {
  if (!fake::AreOneAndZero<T>(on.alpha, on.beta)) return kCublasNotSupported;
  auto* const workspace = static_cast<unsigned*>(handle->workspace);
  MultiplyColumns<T><<<dim3(4), dim3(64), 0, handle->stream>>>(on, workspace);
  return cudaGetLastError() == cudaSuccess ? kCublasSuccess : kCublasExecutionFailed;
}

int Multiply(CublasHandle handle, const Product& on, int type, int computed_in) {
  if (handle == nullptr) return kCublasNotInitialized;
  if (!on.IsValid()) return kCublasInvalidValue;
  if (handle->workspace == nullptr && cudaMalloc(&handle->workspace, kLeastWorkspace) != cudaSuccess) {
    return kCublasAllocFailed;
  }
  if (computed_in != (type == kCublasDouble ? kCublasAsDouble : kCublasAsFloat)) return kCublasNotSupported;
  switch (type) {
    case kCublasFloat:
      return Enqueue<float>(handle, on);
    case kCublasDouble:
      return Enqueue<double>(handle, on);
    case kCublasHalf:
      return Enqueue<OPSRUN_HALF>(handle, on);
    case kCublasBfloat16:
      return Enqueue<opsrun::bfloat16>(handle, on);
    default:
      return kCublasNotSupported;
  }
}

}  // namespace

extern "C" {

EXPORTED int cublasCreate_v2(CublasHandle* handle) {
  if (const int status = FailureOf("cublasCreate")) return status;
  *handle = new cublasContext;
  return (*handle)->own.Take() ? kCublasSuccess : kCublasAllocFailed;
}
EXPORTED int cublasDestroy_v2(CublasHandle handle) {
  const bool is_freed = handle->own.Free();
  delete handle;
  return is_freed ? kCublasSuccess : kCublasNotInitialized;
}
EXPORTED int cublasGetVersion_v2(CublasHandle, int* version) {
  return *version = 130000, kCublasSuccess;
}
EXPORTED int cublasSetMathMode(CublasHandle handle, int mode) {
  return handle->mode = mode, kCublasSuccess;
}
EXPORTED int cublasSetStream_v2(CublasHandle handle, CUstream_st* stream) {
  if (const int status = FailureOf("cublasSetStream")) return status;
  handle->stream = stream;
  handle->workspace = nullptr;
  return kCublasSuccess;
}
EXPORTED int cublasSetWorkspace_v2(CublasHandle handle, void* workspace, size_t bytes) {
  if (reinterpret_cast<size_t>(workspace) % 256 != 0 || bytes < kLeastWorkspace) return kCublasInvalidValue;
  return handle->workspace = workspace, kCublasSuccess;
}

EXPORTED int cublasGemmEx(CublasHandle handle, int a_operation, int b_operation, int m, int n, int k, const void* alpha,
                          const void* a, int a_type, int a_leading, const void* b, int b_type, int b_leading,
                          const void* beta, void* c, int c_type, int c_leading, int computed_in, int) {
  if (const int status = FailureOf("cublasGemmEx")) return status;
  if (a_type != b_type || a_type != c_type) return kCublasNotSupported;
  return Multiply(
      handle, {a_operation, b_operation, m, n, k, a_leading, b_leading, c_leading, 1, alpha, a, b, beta, c, 0, 0, 0},
      a_type, computed_in);
}

EXPORTED int cublasGemmStridedBatchedEx(CublasHandle handle, int a_operation, int b_operation, int m, int n, int k,
                                        const void* alpha, const void* a, int a_type, int a_leading, long long a_stride,
                                        const void* b, int b_type, int b_leading, long long b_stride, const void* beta,
                                        void* c, int c_type, int c_leading, long long c_stride, int count,
                                        int computed_in, int) {
  if (const int status = FailureOf("cublasGemmStridedBatchedEx")) return status;
  if (a_type != b_type || a_type != c_type) return kCublasNotSupported;
  return Multiply(handle,
                  {a_operation, b_operation, m, n, k, a_leading, b_leading, c_leading, count, alpha, a, b, beta, c,
                   a_stride, b_stride, c_stride},
                  a_type, computed_in);
}
}
