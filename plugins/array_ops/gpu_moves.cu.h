// plugins/array_ops/gpu_moves.cu.h: how a GPU moves elements; see CpuMoves in view.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/gpu_copy.h"
#include "opsrun/gpu_kernel_helper.h"
#include "view.h"

namespace array_ops {

struct GpuMoves {
  static opsrun::Status CopyFromView(opsrun::OpKernelContext* context, const View& view, const opsrun::Tensor& array,
                                     opsrun::Tensor* dense) {
    return Copy(context, view, true, array, view.offset, dense, 0);
  }
  static opsrun::Status CopyToView(opsrun::OpKernelContext* context, const View& view, const opsrun::Tensor& dense,
                                   opsrun::Tensor* array) {
    return Copy(context, view, false, dense, 0, array, view.offset);
  }
  static opsrun::Status FillWithBytes(opsrun::OpKernelContext* context, const Bytes16& value, opsrun::Tensor* tensor) {
    return opsrun::GpuFill(opsrun::GetGpuStream(context), tensor->NumElements(), DataTypeSize(tensor->dtype()), &value,
                           tensor->data());
  }
  static opsrun::Status FillWithZeros(opsrun::OpKernelContext* context, opsrun::Tensor* tensor) {
    return FillWithBytes(context, Bytes16(), tensor);
  }

 private:
  // Runs the loops over the view. One of `from` and `to` is the array; the other one is dense.
  static opsrun::Status Copy(opsrun::OpKernelContext* context, const View& view, bool is_from,
                             const opsrun::Tensor& from, int64 from_offset, opsrun::Tensor* to, int64 to_offset) {
    opsrun::GpuCopyLoops loops;
    int64 inside = view.NumElements();
    if (inside == 0) return opsrun::Status();
    for (const ViewDim& dim : view.dims) {
      inside /= dim.size;
      loops.AddInside({dim.size, is_from ? dim.stride : inside, is_from ? inside : dim.stride});
    }
    const int64 bytes = DataTypeSize(from.dtype());
    return loops.Enqueue(opsrun::GetGpuStream(context), bytes,
                         static_cast<const char*>(from.data()) + from_offset * bytes,
                         static_cast<char*>(to->data()) + to_offset * bytes);
  }
};

}  // namespace array_ops
