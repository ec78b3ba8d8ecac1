// plugins/math_ops/conv2d_blocks.h: what convolutions and their gradients have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "conv2d.h"
#include "matmul.h"
#include "patches.h"

namespace math_ops {

// About how long a product takes.
inline int64 Nanoseconds(int64 rows, int64 depth, int64 columns) {
  constexpr double kProductsPerNanosecond = 20;
  const double products = static_cast<double>(rows) * static_cast<double>(depth) * static_cast<double>(columns);
  return static_cast<int64>(std::min(products / kProductsPerNanosecond, 1e15)) + 1;
}

template <typename R>
std::unique_ptr<R[]> NewArray(int64 n) {
  return std::unique_ptr<R[]>(new R[static_cast<size_t>(n)]);
}

template <typename T>
void RoundAll(const Real<T>* wide, int64 n, T* out) {
  for (int64 i = 0; i < n; ++i) out[i] = static_cast<T>(wide[i]);
}

// Calls fn(i) for i in [0, units), on the host's threads.
template <typename Fn>
void ForUnits(opsrun::OpKernelContext* context, int64 units, int64 nanoseconds, const Fn& fn) {
  const auto workers = *context->device()->tensorflow_cpu_worker_threads();
  opsrun::Shard(workers.num_threads, workers.workers, units, nanoseconds, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end && !context->IsCancelled(); ++i) fn(i);
  });
}

// A matrix with the given rows, in the memory of a tensor.
template <typename T>
opsrun::Status ReadMatrix(opsrun::OpKernelContext* context, int64 rows, int64 columns, const void* data,
                          RealMatrices<T>* matrix) {
  return matrix->Read(context, {1, rows, columns}, Side::kLeft, static_cast<const T*>(data));
}

// A convolution of images of T, whose windows are counted through all images.
template <typename T>
struct Conv : Convolution {
  typedef Real<T> R;
  Multiply<R> multiply = nullptr;

  opsrun::Status Init(const Convolution& convolution) {
    static_cast<Convolution&>(*this) = convolution;
    const Kernels* kernels = nullptr;
    TF_RETURN_IF_ERROR(FindKernels(&kernels));
    multiply = std::get<Multiply<R>>(kernels->multiply);
    return opsrun::Status::OK();
  }

  int64 windows() const { return images.batch * images.windows(); }

  // How many windows have their patches copied at a time: enough for the product to be fast, and about 1 MiB of them.
  int64 WindowsAtOnce() const {
    constexpr int64 kValues = 1 << 18, kFewest = 256, kMost = 2048;
    return std::min(std::clamp(kValues / patch(), kFewest, kMost), windows());
  }

  // The pixels of the images are the patches.
  bool IsPointwise() const { return kIsReal<T> && images.y.IsIdentity() && images.x.IsIdentity(); }

  // The patches of the windows [begin, end), a row for each; copied to `memory` if need be.
  MatrixView<R> Patches(const T* in, int64 begin, int64 end, R* memory) const {
    if constexpr (kIsReal<T>) {
      if (IsPointwise()) return {reinterpret_cast<const R*>(in) + begin * patch(), patch(), false};
    }
    CopyPatches(images, in, begin, end, memory);
    return {memory, patch(), false};
  }
  std::unique_ptr<R[]> NewPatches() const { return NewArray<R>(IsPointwise() ? 0 : WindowsAtOnce() * patch()); }
};

}  // namespace math_ops
