// plugins/math_ops/gpu_blas.cc
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "gpu_blas.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "gpu_blas_library.h"
#include "opsrun/internal/gpu_runtime.h"
#include "opsrun/logging.h"

namespace math_ops {

using namespace opsrun;

namespace {

// What is known about the devices. Never destroyed. It does not own handles; the kernels do.
struct Known {
  struct OfDevice {
    std::weak_ptr<GpuBlas> handle;
    bool has_none = false;  // no library works on this device
  };
  std::mutex mutex;
  std::map<int, OfDevice> devices;
};

Known& known() {
  static Known& all = *new Known;
  return all;
}

bool IsSwitchedOff() {
  const char* const text = std::getenv("OPSRUN_CUBLAS");
  return text != nullptr && std::strcmp(text, "0") == 0;
}

// Status codes with which a library rejects this driver or card, whatever the product.
bool IsRefusal(int status) {
  return status == kCublasNotInitialized || status == kCublasArchMismatch || status == kCublasNotSupported ||
         status == kCublasLicenseError;
}

Status StatusOf(int status, const char* call, const GpuBlasLibrary& library) {
  if (status == kCublasSuccess) return Status::OK();
  const std::string text = CublasStatusText(status);
  if (status == kCublasAllocFailed) {
    return errors::ResourceExhausted(call, " of ", library.name(), " fails with ", text,
                                     ": the GPU has too little memory left");
  }
  return errors::Internal(call, " of ", library.name(), " fails with ", text);
}

// NVIDIA's recommendation: 32 MiB since Hopper, 4 MiB before. Some products are slower with less.
size_t WorkspaceOf(int device) {
  int major = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess)
    (void)cudaGetLastError();
  return size_t{major >= 9 ? 32u : 4u} << 20;
}

void Warn(const std::string& problems) {
  LOG(WARNING) << "matrix products on the GPU are slower than with cuBLAS, which cannot be used: "
               << (problems.empty() ? "libcublas.so.13, .12 and .11 were not found; install cuBLAS of the CUDA "
                                      "toolkit, or add its folder to LD_LIBRARY_PATH"
                                    : problems)
               << "; OPSRUN_CUBLAS=0 does without it";
}

int TypeOf(DataType type) {
  return type == DT_HALF       ? kCublasHalf
         : type == DT_BFLOAT16 ? kCublasBfloat16
         : type == DT_FLOAT    ? kCublasFloat
                               : kCublasDouble;
}

}  // namespace

Status GpuBlas::OfCurrentDevice(std::shared_ptr<GpuBlas>* found) {
  int device = 0;
  if (IsSwitchedOff()) return Status::OK();
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) {
    return errors::Internal("cudaGetDevice fails with ", cudaGetErrorName(error));
  }
  const std::lock_guard<std::mutex> lock(known().mutex);
  Known::OfDevice& known_of_it = known().devices[device];
  *found = known_of_it.handle.lock();
  if (*found != nullptr || known_of_it.has_none) return Status::OK();
  TF_RETURN_IF_ERROR(Create(device, found));
  known_of_it.handle = *found;
  known_of_it.has_none = *found == nullptr;
  return Status::OK();
}

Status GpuBlas::Create(int device, std::shared_ptr<GpuBlas>* made) {
  std::string problems;
  for (const int version : GpuBlasLibrary::kVersions) {
    std::string problem;
    std::unique_ptr<const GpuBlasLibrary> library = GpuBlasLibrary::Open(version, &problem);
    if (library != nullptr) {
      cublasContext* handle = nullptr;
      const int status = library->cublasCreate_v2(&handle);
      if (status == kCublasSuccess) {
        made->reset(new GpuBlas(std::move(library), handle, WorkspaceOf(device)));
        return (*made)->Begin();
      }
      if (!IsRefusal(status)) return StatusOf(status, "cublasCreate", *library);
      problem = "cublasCreate of " + library->name() + " fails with " + CublasStatusText(status);
    }
    if (!problem.empty()) problems += (problems.empty() ? "" : ", ") + problem;
  }
  Warn(problems);
  return Status::OK();
}

GpuBlas::GpuBlas(std::unique_ptr<const GpuBlasLibrary> library, cublasContext* handle, size_t workspace_bytes)
    : library_(std::move(library)), handle_(handle), workspace_bytes_(workspace_bytes) {}

Status GpuBlas::Begin() {
  int version = 0;
  (void)library_->cublasGetVersion_v2(handle_, &version);
  VLOG(1) << "matrix products on the GPU are computed by " << library_->name() << ", version " << version;
  return StatusOf(library_->cublasSetMathMode(handle_, kCublasNoRoundedParts), "cublasSetMathMode", *library_);
}

GpuBlas::~GpuBlas() {
  const int status = library_->cublasDestroy_v2(handle_);
  if (status != kCublasSuccess) LOG(WARNING) << StatusOf(status, "cublasDestroy", *library_).message();
}

Status GpuBlas::Multiply(const GpuBlasProducts& products, CUstream_st* stream, void* workspace, bool* refused) {
  const std::lock_guard<std::mutex> lock(mutex_);
  TF_RETURN_IF_ERROR(StatusOf(library_->cublasSetStream_v2(handle_, stream), "cublasSetStream", *library_));
  // Setting a stream resets the handle to its own workspace, which two streams would share, and which may be allocated
  // during a capture.
  TF_RETURN_IF_ERROR(
      StatusOf(library_->cublasSetWorkspace_v2(handle_, workspace, workspace_bytes_), "cublasSetWorkspace", *library_));
  const int status = Enqueue(products);
  *refused = status == kCublasNotSupported || status == kCublasArchMismatch;
  return *refused ? Status::OK()
                  : StatusOf(status, products.count == 1 ? "cublasGemmEx" : "cublasGemmStridedBatchedEx", *library_);
}

// cuBLAS is column-major, and a row-major matrix is a transposed column-major one. So this computes the transposed
// product, b^T * a^T, which needs no copies.
int GpuBlas::Enqueue(const GpuBlasProducts& p) const {
  const auto rows = static_cast<int>(p.rows), depth = static_cast<int>(p.depth), columns = static_cast<int>(p.columns);
  const int type = TypeOf(p.type), a_operation = p.a_transposed ? kCublasTransposed : kCublasPlain,
            b_operation = p.b_transposed ? kCublasTransposed : kCublasPlain;
  const int a_leading = p.a_transposed ? rows : depth, b_leading = p.b_transposed ? depth : columns;
  const bool is_double = p.type == DT_DOUBLE;
  const int computed_in = is_double ? kCublasAsDouble : kCublasAsFloat;
  const float float_one = 1, float_zero = 0;
  const double double_one = 1, double_zero = 0;
  const void* const one = is_double ? static_cast<const void*>(&double_one) : &float_one;
  const void* const zero = is_double ? static_cast<const void*>(&double_zero) : &float_zero;
  if (p.count == 1) {
    return library_->cublasGemmEx(handle_, b_operation, a_operation, columns, rows, depth, one, p.b, type, b_leading,
                                  p.a, type, a_leading, zero, p.out, type, columns, computed_in, kCublasAnyAlgorithm);
  }
  return library_->cublasGemmStridedBatchedEx(handle_, b_operation, a_operation, columns, rows, depth, one, p.b, type,
                                              b_leading, p.b_step, p.a, type, a_leading, p.a_step, zero, p.out, type,
                                              columns, p.out_step, static_cast<int>(p.count), computed_in,
                                              kCublasAnyAlgorithm);
}

}  // namespace math_ops

#endif  // GOOGLE_CUDA
