// plugins/math_ops/gpu_multiplier.cc
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "gpu_blas_library.h"
#include "matmul.h"
#include "opsrun/gpu_launch.h"
#include "opsrun/internal/gpu_runtime.h"
#include "opsrun/logging.h"

namespace math_ops {

// out[i] = a[i] * b[i] for i in [0, count), of row-major matrices. A transposed one is stored as [columns, rows]. Steps
// are the distance between consecutive matrices, in elements; 0: all are the same. Requires: sizes are in [1,
// INT32_MAX].
struct GpuBlasProducts {
  DataType type;  // half, bfloat16, float or double
  int64 rows, depth, columns;
  bool a_transposed, b_transposed;
  int64 count, a_step, b_step, out_step;
  const void *a, *b;
  void* out;
};

// A cuBLAS handle on the device whose context was current when it was created. The kernels on a device share it, and
// the last of them destroys it, so destructors of static objects never do. Thread-safe.
class GpuBlas {
 public:
  // Sets *found to the handle of the current device; NULL if no library works here, or OPSRUN_CUBLAS=0.
  // RESOURCE_EXHAUSTED: out of memory. Must not be called during a capture: a new handle allocates memory.
  static Status OfCurrentDevice(std::shared_ptr<GpuBlas>* found);

  ~GpuBlas();  // requires: the context is current, and all enqueued work is done

  // The number of bytes of device memory that a product may use while it runs.
  size_t workspace_bytes() const { return workspace_bytes_; }

  // Enqueues the products. float16 and bfloat16 are multiplied and added as float32 and rounded once; float32 is not
  // rounded to TF32. *refused: this cuBLAS does not support the product on this card, and nothing was enqueued.
  Status Multiply(const GpuBlasProducts& products, CUstream_st* stream, void* workspace, bool* refused);

 private:
  GpuBlas(std::unique_ptr<const GpuBlasLibrary> library, cublasContext* handle, size_t workspace_bytes);
  static Status Create(int device, std::shared_ptr<GpuBlas>* made);
  Status Begin();
  int Enqueue(const GpuBlasProducts& products) const;

  const std::unique_ptr<const GpuBlasLibrary> library_;
  cublasContext* const handle_;
  const size_t workspace_bytes_;
  std::mutex mutex_;  // held while the stream is set and the call is enqueued
};

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

namespace {

constexpr int64 kMostCalls = 64;  // enqueueing more calls takes longer than computing all products with the loop

// The batch dimension that a call of cuBLAS covers; the other dimensions take one call per element.
int LargestDim(const Broadcast& batch) {
  int largest = 0;
  for (int d = 1; d < batch.rank(); ++d) {
    if (batch.dim(d).size > batch.dim(largest).size) largest = d;
  }
  return largest;
}

bool FitsBlas(DataType type, const Matrices& a, const Matrices& b, const Broadcast& batch) {
  const int64 count = batch.dim(LargestDim(batch)).size,
              calls = batch.shape().num_elements() / std::max<int64>(count, 1);
  return (type == DT_HALF || type == DT_BFLOAT16 || type == DT_FLOAT || type == DT_DOUBLE) && a.columns > 0 &&
         calls <= kMostCalls && std::max({a.rows, a.columns, b.columns, count}) <= INT32_MAX;
}

// The products of a node as calls of cuBLAS: each call computes the pairs along dimension `walked` of the batch.
struct Work {
  DataType type;
  const Matrices &a, &b;
  const void *a_data, *b_data;
  void* out;
  const Broadcast& batch;
  int walked;

  int64 calls() const { return batch.shape().num_elements() / batch.dim(walked).size; }

  // The positions of the first pair of a call: of the matrices of a and b, and of the product.
  void FindPlaces(int64 call, int64 (&at)[3]) const {
    int64 step_of_out = 1;
    std::fill(at, at + 3, int64{0});
    for (int d = batch.rank() - 1; d >= 0; --d) {
      const Broadcast::Dim& dim = batch.dim(d);
      const int64 index = d == walked ? 0 : call % dim.size;
      if (d != walked) call /= dim.size;
      at[0] += index * dim.steps[0];
      at[1] += index * dim.steps[1];
      at[2] += index * step_of_out;
      step_of_out *= dim.size;
    }
  }

  int64 StepOfOut() const {
    int64 step = 1;
    for (int d = batch.rank() - 1; d > walked; --d) step *= batch.dim(d).size;
    return step;
  }

  const void* Skip(const void* data, int64 elements) const {
    return static_cast<const char*>(data) + elements * DataTypeSize(type);
  }

  GpuBlasProducts Call(int64 call) const {
    int64 at[3];
    FindPlaces(call, at);
    const Broadcast::Dim& dim = batch.dim(walked);
    const int64 product = a.rows * b.columns;
    GpuBlasProducts products = {type, a.rows, a.columns, b.columns, a.transposed, b.transposed, dim.size};
    products.a_step = dim.steps[0] * a.elements();
    products.b_step = dim.steps[1] * b.elements();
    products.out_step = StepOfOut() * product;
    products.a = Skip(a_data, at[0] * a.elements());
    products.b = Skip(b_data, at[1] * b.elements());
    products.out = const_cast<void*>(Skip(out, at[2] * product));
    return products;
  }
};

// Merges products of many matrices with the same right-hand matrix into one product of all their rows.
void JoinRows(GpuBlasProducts* products) {
  const bool is_one = products->b_step == 0 && !products->a_transposed &&
                      products->a_step == products->rows * products->depth &&
                      products->out_step == products->rows * products->columns;
  if (!is_one || products->rows > INT32_MAX / products->count) return;
  products->rows *= products->count;
  products->count = 1;
}

// *refused: cuBLAS does not support the product, and the results were not computed.
Status MultiplyByBlas(OpKernelContext* context, GpuBlas* blas, const Work& work, bool* refused) {
  Tensor workspace;
  const auto bytes = static_cast<int64>(blas->workspace_bytes());
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({bytes}), &workspace));
  for (int64 i = 0; i < work.calls() && !*refused; ++i) {
    GpuBlasProducts products = work.Call(i);
    JoinRows(&products);
    TF_RETURN_IF_ERROR(blas->Multiply(products, GetGpuStream(context), workspace.data(), refused));
  }
  return Status::OK();
}

}  // namespace

GpuMultiplier::GpuMultiplier(DataType type) : type_(type), loop_(GpuMatMulLoop(type)) {}

Status GpuMultiplier::FindBlas(GpuBlas** blas) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!is_found_) TF_RETURN_IF_ERROR(GpuBlas::OfCurrentDevice(&blas_));
  is_found_ = true;
  *blas = blas_.get();
  return Status::OK();
}

Status GpuMultiplier::operator()(OpKernelContext* context, const Matrices& a, const void* a_data, const Matrices& b,
                                 const void* b_data, const Broadcast& batch, void* out) const {
  if (batch.shape().num_elements() == 0 || a.rows == 0 || b.columns == 0) return Status::OK();
  GpuBlas* blas = nullptr;
  if (FitsBlas(type_, a, b, batch)) TF_RETURN_IF_ERROR(FindBlas(&blas));
  bool refused = blas == nullptr;
  if (!refused) {
    const Work work = {type_, a, b, a_data, b_data, out, batch, LargestDim(batch)};
    TF_RETURN_IF_ERROR(MultiplyByBlas(context, blas, work, &refused));
  }
  return refused ? loop_(context, a, a_data, b, b_data, batch, out) : Status::OK();
}

}  // namespace math_ops

#endif  // GOOGLE_CUDA
