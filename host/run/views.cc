// host/run/views.cc: the kinds of tensor views.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/graph/tensor_value.h"
#include "host/plan/call_arrays.h"
#include "host/run/buffer.h"
#include "host/run/held_tensors.h"
#include "host/run/host_table.h"

namespace opsrun::host {

void ViewShape::Set(opsrun_tensor& view, int32_t rank, const int64_t* dims) {
  int64_t* sizes = inline_;
  int64_t* strides = inline_ + kInline;
  if (rank > kInline) {
    if (large_rank_ < rank) large_ = std::make_unique_for_overwrite<int64_t[]>(2 * static_cast<size_t>(rank));
    large_rank_ = std::max(large_rank_, rank);
    sizes = large_.get();
    strides = sizes + large_rank_;
  }
  for (int32_t i = 0; i < rank; ++i) sizes[i] = dims[i];
  FillStrides(rank, sizes, strides);
  view.rank = rank;
  view.shape = rank == 0 ? nullptr : sizes;
  view.strides = rank == 0 ? nullptr : strides;
}

void DynamicView::Allocate(Buffer* taken, int32_t new_rank, const int64_t* dims) {
  Hold(taken);
  sizes.Set(*this, new_rank, dims);
}

void InitView(opsrun_tensor& view, const opsrun_host* host, DType dtype, const Device& device, uint32_t flags) {
  view.device = device.id();
  view.rank = -1;
  view.dl = DTypeToDLPack(dtype);
  view.host = host;
  view.flags = flags | OPSRUN_TENSOR_ALIGNED64 | (device.is_cpu_memory() ? OPSRUN_TENSOR_HOST : 0);
  view.dtype = DTypeNumber(dtype);
}

Handle* NewHandle(Buffer* buffer, const opsrun_host* host, DType dtype, int32_t rank, const int64_t* dims) {
  auto* handle = new Handle{};
  InitView(*handle, host, dtype, *buffer->device, kHandle);
  handle->buffer = buffer;
  handle->table = ShareHost(host);
  handle->data = buffer->data();
  handle->sizes.Set(*handle, rank, dims);
  if (HeldTensors* const held = HeldOf(host)) held->Add(handle, ViewBytes(*handle));
  return handle;
}

void ReleaseHandle(Handle* handle) {
  if (handle->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (HeldTensors* const held = HeldOf(handle->host)) held->Remove(handle);
  handle->buffer->Release();
  delete handle;
}

Buffer* BufferOf(const opsrun_tensor* view) {
  if ((view->flags & kHandle) != 0) return static_cast<const Handle*>(view)->buffer;
  if ((view->flags & kDynamicView) != 0) return static_cast<const DynamicView*>(view)->buffer;
  return nullptr;
}

Status WhyNoTensor(DType dtype, int32_t rank, const int64_t* dims) {
  if (rank < 0 || rank > OPSRUN_MAX_RANK) {
    return InvalidArgument(fmt::format("rank {} is out of range: tensors have rank 0 to {}", rank, OPSRUN_MAX_RANK));
  }
  if (rank > 0 && dims == nullptr) return InvalidArgument(fmt::format("a shape of rank {} without sizes", rank));
  if (ElementBytes(dtype) == 0) return InvalidArgument(NoTensorsText(dtype));
  return InvalidArgument(fmt::format("there is no tensor of shape {}", ViewShapeText(rank, dims)));
}

size_t ViewBytes(const opsrun_tensor& view) {
  size_t bytes = ElementBytes(DTypeOf(view));
  for (int32_t i = 0; i < view.rank; ++i) bytes *= static_cast<size_t>(view.shape[i]);
  return bytes;
}

bool Fits(const PlanValue& value, int32_t rank, const int64_t* dims) {
  return !value.rank_known || ShapeAllows(value.shape(), {dims, static_cast<size_t>(rank)});
}

std::string ViewShapeText(int32_t rank, const int64_t* dims) {
  if (rank < 0 || rank > OPSRUN_MAX_RANK || (rank > 0 && dims == nullptr)) return "?";
  return ShapeText(Shape(dims, dims + rank));
}

}  // namespace opsrun::host
