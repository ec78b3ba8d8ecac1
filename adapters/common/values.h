// adapters/common/values.h: tensors and attr values as kernels see them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opsrun/embed_host.h"

namespace opsrun_adapter {

// Initializes the view of a tensor that does not exist yet, such as an output before its allocation.
inline void Expect(opsrun_tensor& view, const opsrun_host* host, int32_t dtype, opsrun_dldtype dl, uint32_t flags = 0) {
  view.data = nullptr;
  view.device = {OPSRUN_DEVICE_CPU, 0};
  view.rank = -1;
  view.dl = dl;
  view.shape = nullptr;
  view.strides = nullptr;
  view.byte_offset = 0;
  view.host = host;
  view.flags = OPSRUN_TENSOR_HOST | flags;
  view.dtype = dtype;
}

// Call it after Expect: points the view at dense, row-major memory. shape: must outlive the view; strides: filled in,
// must also outlive it. Has no branch, so that the compiler can merge it with Expect.
inline void Show(opsrun_tensor& view, void* data, int32_t rank, int64_t* shape, int64_t* strides) {
  const bool aligned = reinterpret_cast<uintptr_t>(data) % 64 == 0;
  view.data = data;
  view.rank = rank;
  view.flags = (view.flags & ~OPSRUN_TENSOR_ALIGNED64) | (aligned ? OPSRUN_TENSOR_ALIGNED64 : 0);
  view.shape = rank == 0 ? nullptr : shape;
  view.strides = rank == 0 ? nullptr : strides;
  int64_t stride = 1;
  for (int32_t i = rank; i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
}

// Host bit of opsrun_tensor::flags: the view is a Temporary.
inline constexpr uint32_t kTemporary = 1u << 16;

// A reference-counted tensor that a plugin may keep as long as it likes. Owner: a view that owns its memory.
template <typename Owner>
class Temporary : public Owner {
 public:
  // Starts with one reference.
  template <typename... Args>
  explicit Temporary(Args&&... args) : Owner(std::forward<Args>(args)...) {
    this->flags |= kTemporary;
  }
  static Temporary* Of(const opsrun_tensor* t) {  // null if it is another kind of view
    return (t->flags & kTemporary) == 0 ? nullptr : static_cast<Temporary*>(const_cast<opsrun_tensor*>(t));
  }

  bool IsShared() const { return references_.load(std::memory_order_acquire) > 1; }
  void Retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void Release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  std::atomic<int64_t> references_{1};
};

// The OPSRUN_ATTR_* of a type in a spec; "list(int)" is OPSRUN_ATTR_INT | OPSRUN_ATTR_LIST.
uint32_t KindOf(std::string_view type);

// Element i of a list, or the single value.
inline int64_t IntOf(const opsrun_attr& attr, uint64_t i) {
  return (attr.kind & OPSRUN_ATTR_LIST) != 0 ? attr.v.ints[i] : attr.v.i;
}
inline double FloatOf(const opsrun_attr& attr, uint64_t i) {
  return (attr.kind & OPSRUN_ATTR_LIST) != 0 ? attr.v.floats[i] : attr.v.f;
}
inline opsrun_str StrOf(const opsrun_attr& attr, uint64_t i) {
  return (attr.kind & OPSRUN_ATTR_LIST) != 0 ? attr.v.strs[i] : attr.v.s;
}

// The attrs of a call. Tensors are borrowed; other values are stored here.
class AttrList {
 public:
  AttrList() = default;
  AttrList(const AttrList&) = delete;

  // Begins an attr; its elements, or its single value, are added next. kind: OPSRUN_ATTR_*.
  void Begin(std::string_view name, uint32_t kind);
  void AddInt(int64_t value) { list_.back().ints.push_back(value); }  // also for bools and types
  void AddFloat(double value) { list_.back().floats.push_back(value); }
  void AddText(std::string_view value) { list_.back().strs.push_back(Keep(value)); }
  void AddShape(std::vector<int64_t> sizes);  // -1: an unknown size
  void AddUnknownShape() { list_.back().shapes.push_back({-1, 0, nullptr}); }
  void AddTensor(const opsrun_tensor* tensor) { list_.back().tensors.push_back(tensor); }

  // The attrs borrow from this object.
  std::vector<opsrun_attr> all() const;

 private:
  // Copies a text; the result lives as long as this object.
  opsrun_str Keep(std::string_view text);

  struct Values {
    opsrun_str name;
    uint32_t kind;
    std::vector<int64_t> ints;
    std::vector<double> floats;
    std::vector<opsrun_str> strs;
    std::vector<opsrun_partial> shapes;
    std::vector<const opsrun_tensor*> tensors;
  };
  std::deque<Values> list_;
  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> sizes_;
};

}  // namespace opsrun_adapter
