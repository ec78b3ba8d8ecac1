// plugins/math_ops/gpu_blas.h: matrix products on a GPU by NVIDIA's cuBLAS, where it is installed.
//
// The library is loaded when the first product is computed: libcublas.so.13, .12 or .11, the first that works here. The
// plugin is not linked against it. Without it there is no handle, which is logged once per device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "opsrun/status.h"
#include "opsrun/types.h"

struct cublasContext;
struct CUstream_st;

namespace math_ops {

// out[i] = a[i] * b[i] for i in [0, count), of row-major matrices. A transposed one is stored as [columns, rows]. Steps
// are the distance between consecutive matrices, in elements; 0: all are the same. Requires: sizes are in [1,
// INT32_MAX].
struct GpuBlasProducts {
  opsrun::DataType type;  // half, bfloat16, float or double
  opsrun::int64 rows, depth, columns;
  bool a_transposed, b_transposed;
  opsrun::int64 count, a_step, b_step, out_step;
  const void *a, *b;
  void* out;
};

class GpuBlasLibrary;

// A cuBLAS handle on the device whose context was current when it was created. The kernels on a device share it, and
// the last of them destroys it, so destructors of static objects never do. Thread-safe.
class GpuBlas {
 public:
  // Sets *found to the handle of the current device; NULL if no library works here, or OPSRUN_CUBLAS=0.
  // RESOURCE_EXHAUSTED: out of memory. Must not be called during a capture: a new handle allocates memory.
  static opsrun::Status OfCurrentDevice(std::shared_ptr<GpuBlas>* found);

  ~GpuBlas();  // requires: the context is current, and all enqueued work is done
  GpuBlas(const GpuBlas&) = delete;
  GpuBlas& operator=(const GpuBlas&) = delete;

  // The number of bytes of device memory that a product may use while it runs.
  size_t workspace_bytes() const { return workspace_bytes_; }

  // Enqueues the products. float16 and bfloat16 are multiplied and added as float32 and rounded once; float32 is not
  // rounded to TF32. *refused: this cuBLAS does not support the product on this card, and nothing was enqueued.
  opsrun::Status Multiply(const GpuBlasProducts& products, CUstream_st* stream, void* workspace, bool* refused);

 private:
  GpuBlas(std::unique_ptr<const GpuBlasLibrary> library, cublasContext* handle, size_t workspace_bytes);
  static opsrun::Status Create(int device, std::shared_ptr<GpuBlas>* made);
  opsrun::Status Begin();
  int Enqueue(const GpuBlasProducts& products) const;

  const std::unique_ptr<const GpuBlasLibrary> library_;
  cublasContext* const handle_;
  const size_t workspace_bytes_;
  std::mutex mutex_;  // held while the stream is set and the call is enqueued
};

}  // namespace math_ops
