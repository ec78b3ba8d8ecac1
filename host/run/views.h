// host/run/views.h: the kinds of tensor views that this host makes, marked by private flag bits. Private to this room.
//
// A view without such a bit is planned memory: an arena output, a constant, a feed. It is never shared: retaining it
// copies the elements.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "host/plan/plan.h"
#include "host/run/buffer.h"
#include "host/tensor/tensor.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

constexpr uint32_t kDynamicView = 1u << 16;
constexpr uint32_t kHandle = 1u << 17;
// A dynamic view about which nothing is known before the run, and whose elements own no memory: any shape is allowed.
constexpr uint32_t kAnyShape = 1u << 18;
// The view is a PlannedView.
constexpr uint32_t kPlannedView = 1u << 19;

// Sizes and strides of a view whose shape is set during the run. Up to kInline dimensions need no allocation.
class ViewShape {
 public:
  // Writes them into `view` too. Requires: 0 <= rank <= OPSRUN_MAX_RANK.
  void Set(opsrun_tensor& view, int32_t rank, const int64_t* dims);

  // The same for an unchecked shape. False if it is invalid or needs an allocation; `view` may be partly written then.
  // *bytes: in, the size of an element; out, the size of the tensor.
  bool SetQuickly(opsrun_tensor& view, int32_t rank, const int64_t* dims, size_t* bytes) {
    if (rank <= 0 || rank > kInline || dims == nullptr) return false;
    uint64_t elements = 1;
    for (int32_t i = rank - 1; i >= 0; --i) {
      inline_[i] = dims[i];
      inline_[kInline + i] = static_cast<int64_t>(elements);
      // Both factors are at most 2^31, so neither the product nor the bytes overflow. A size of 0 would make a stride
      // 0.
      if ((static_cast<uint64_t>(dims[i]) - 1) >> 31 != 0 || elements >> 31 != 0) return false;
      elements *= static_cast<uint64_t>(dims[i]);
    }
    if (elements >> 47 != 0) return false;
    *bytes *= elements;
    view.rank = rank;
    view.shape = inline_;
    view.strides = inline_ + kInline;
    return true;
  }

 private:
  static constexpr int32_t kInline = 2;

  int64_t inline_[2 * kInline];
  std::unique_ptr<int64_t[]> large_;  // room for 2 x OPSRUN_MAX_RANK
};

// Planned memory on a device other than the CPU.
struct PlannedView : opsrun_tensor {
  Device* on = nullptr;
  Stream stream = kNoStream;  // the stream whose work uses it
};

// A step's output that the kernel allocates: unallocated (rank -1, no buffer), or a share of a buffer.
struct DynamicView : opsrun_tensor {
  Buffer* buffer = nullptr;
  ViewShape sizes;
  uint32_t element_bytes = 0;
  int32_t readers = 0;           // steps that end with EndRead
  std::atomic<int32_t> left{0};  // those that have not ended yet
  uint32_t value = 0;            // index in the plan, for what is known before the run
  BufferPool* pool = nullptr;    // where its buffers come from

  bool allocated() const { return buffer != nullptr; }
  // Takes over one reference of `buffer`. Requires: the shape is set.
  void Hold(Buffer* taken) {
    buffer = taken;
    left.store(readers, std::memory_order_relaxed);
    data = taken->data();
  }
  void Allocate(Buffer* taken, int32_t rank, const int64_t* dims);
  // Forgets the buffer; the caller releases it.
  void Reset() {
    buffer = nullptr;
    data = nullptr;
    rank = -1;
    shape = nullptr;
    strides = nullptr;
  }
  // True for the last reader; no step reads the buffer through this view afterwards.
  bool EndRead() {
    return left.load(std::memory_order_acquire) == 1 || left.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
};

// A tensor that a plugin owns: a temporary, or one that it retained.
struct Handle : opsrun_tensor {
  std::atomic<int32_t> references{1};
  Buffer* buffer = nullptr;
  std::shared_ptr<const opsrun_host> table;  // keeps the table and its device alive
  ViewShape sizes;
};

inline DType DTypeOf(const opsrun_tensor& view) {
  return DTypeFromNumber(view.dtype);
}

// Initializes what all views have in common. device: where the data is.
void InitView(opsrun_tensor& view, const opsrun_host* host, DType dtype, const Device& device, uint32_t flags);

// A new handle with one reference; takes over one reference of `buffer`.
Handle* NewHandle(Buffer* buffer, const opsrun_host* host, DType dtype, int32_t rank, const int64_t* dims);
void ReleaseHandle(Handle* handle);

// The buffer that a view shares, or null for planned memory.
Buffer* BufferOf(const opsrun_tensor* view);

// The size in bytes of a tensor that a plugin requests, on the fast path of a running node; false if it is invalid.
inline bool BytesOf(DType dtype, int32_t rank, const int64_t* dims, size_t* bytes) {
  *bytes = ElementBytes(dtype);
  if (*bytes == 0 || rank < 0 || rank > OPSRUN_MAX_RANK || (rank > 0 && dims == nullptr)) return false;
  for (int32_t i = 0; i < rank; ++i) {
    if (dims[i] < 0 || __builtin_mul_overflow(*bytes, static_cast<size_t>(dims[i]), bytes)) return false;
  }
  return true;
}
// Why BytesOf returned false.
Status WhyNoTensor(DType dtype, int32_t rank, const int64_t* dims);
size_t ViewBytes(const opsrun_tensor& view);

// True if the shape is compatible with what the plan knows about the value.
bool Fits(const PlanValue& value, int32_t rank, const int64_t* dims);

std::string ViewShapeText(int32_t rank, const int64_t* dims);  // "[2, 3]"

}  // namespace opsrun::host
