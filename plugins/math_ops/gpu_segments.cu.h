// plugins/math_ops/gpu_segments.cu.h: the ids of segments on a GPU, and their rows sorted by id.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/gpu_sort.h"
#include "segments.h"

namespace math_ops {

// Calls visit with a pointer to the ids in device memory.
template <typename Visit>
Status VisitIds(const Tensor& ids, const Visit& visit) {
  if (ids.dtype() == DT_INT16) return visit(static_cast<const int16*>(ids.data()));
  if (ids.dtype() == DT_INT32) return visit(static_cast<const int32*>(ids.data()));
  return visit(static_cast<const int64*>(ids.data()));
}

template <typename Id>
__global__ void __launch_bounds__(kGpuThreads) NumberRows(int64 n, const Id* ids, GpuKeyedRow* rows) {
  for (int64 i : GpuGridRangeX(n)) rows[i] = {static_cast<int64>(ids[i]), i};
}

// Sets *rows to the rows sorted by id, which they are already if `sorted`. They are stored in one of the two tensors.
inline Status SortRows(OpKernelContext* context, const Tensor& ids, bool sorted, Tensor* one, Tensor* other,
                       const GpuKeyedRow** rows) {
  const int64 n = ids.NumElements();
  const TensorShape bytes({n * int64{sizeof(GpuKeyedRow)}});
  const cudaStream_t stream = GetGpuStream(context);
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, bytes, one));
  if (!sorted) TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, bytes, other));
  GpuKeyedRow *from = static_cast<GpuKeyedRow*>(one->data()), *to = static_cast<GpuKeyedRow*>(other->data());
  *rows = from;
  if (n == 0) return Status();
  TF_RETURN_IF_ERROR(VisitIds(ids, [&](auto* data) {
    typedef std::remove_const_t<std::remove_pointer_t<decltype(data)>> Id;
    return GpuLaunchKernel(NumberRows<Id>, GpuBlocks(n), kGpuThreads, 0, stream, n, data, from);
  }));
  return sorted ? Status() : GpuSortByKey(stream, n, from, to, rows);
}

}  // namespace math_ops
