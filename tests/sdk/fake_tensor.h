// tests/sdk/fake_tensor.h: the tensors of a FakeHost.
//
// A view and the memory behind it, which tensors may share. Fresh memory holds 0xAB, so that nothing can depend on
// zeros.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "opsrun/c_api.h"

namespace opsrun_test {

// DLPack's type of a data type; bits are 8 times its size in c_api.h.
inline opsrun_dldtype DlTypeOf(int32_t dtype) {
  switch (dtype) {
    case OPSRUN_DT_FLOAT:
      return {2, 32, 1};
    case OPSRUN_DT_DOUBLE:
      return {2, 64, 1};
    case OPSRUN_DT_HALF:
      return {2, 16, 1};
    case OPSRUN_DT_BFLOAT16:
      return {4, 16, 1};
    case OPSRUN_DT_COMPLEX64:
      return {5, 64, 1};
    case OPSRUN_DT_COMPLEX128:
      return {5, 128, 1};
    case OPSRUN_DT_BOOL:
      return {6, 8, 1};
    case OPSRUN_DT_UINT8:
    case OPSRUN_DT_QUINT8:
      return {1, 8, 1};
    case OPSRUN_DT_UINT16:
    case OPSRUN_DT_QUINT16:
      return {1, 16, 1};
    case OPSRUN_DT_UINT32:
      return {1, 32, 1};
    case OPSRUN_DT_UINT64:
      return {1, 64, 1};
    case OPSRUN_DT_INT8:
    case OPSRUN_DT_QINT8:
      return {0, 8, 1};
    case OPSRUN_DT_INT16:
    case OPSRUN_DT_QINT16:
      return {0, 16, 1};
    case OPSRUN_DT_INT32:
    case OPSRUN_DT_QINT32:
      return {0, 32, 1};
    case OPSRUN_DT_INT64:
      return {0, 64, 1};
    case OPSRUN_DT_STRING:
      return {3, 128, 1};
    default:
      return {3, 64, 1};  // a slot that holds a pointer
  }
}

inline std::size_t ElementSize(int32_t dtype) {
  return DlTypeOf(dtype).bits / 8u;
}

inline std::string ShapeText(int32_t rank, const int64_t* dims) {
  std::string text = "[";
  for (int32_t d = 0; d < rank; ++d) text += (d ? "," : "") + std::to_string(dims[d]);
  return text + "]";
}

// Memory for elements. String slots are empty at first and point into `strings`; those of resources are null at first
// and own a reference.
struct FakeBuffer {
  FakeBuffer(int32_t dtype, std::size_t size) : dtype(dtype), size(size) {
    if (size == 0) return;
    if (posix_memalign(&data, 64, size) != 0) std::abort();
    std::memset(data, dtype == OPSRUN_DT_STRING || dtype == OPSRUN_DT_RESOURCE ? 0 : 0xAB, size);
  }
  ~FakeBuffer() {
    if (dtype == OPSRUN_DT_RESOURCE) Release();
    std::free(data);
  }
  FakeBuffer(const FakeBuffer&) = delete;
  FakeBuffer& operator=(const FakeBuffer&) = delete;

  void Release() {
    for (std::size_t i = 0; i < size / sizeof(void*); ++i) {
      const opsrun_resource* resource = static_cast<const opsrun_resource**>(data)[i];
      if (resource) resource->host->resource_release(resource);
    }
  }

  int32_t dtype;
  void* data = nullptr;
  std::size_t size;
  std::deque<std::string> strings;
};

struct FakeTensor {
  FakeTensor(const opsrun_host* host, int32_t dtype) {
    view = {nullptr, {OPSRUN_DEVICE_CPU, 0}, -1, DlTypeOf(dtype), nullptr, nullptr, 0, host, OPSRUN_TENSOR_HOST, dtype};
  }
  FakeTensor(const FakeTensor&) = delete;
  FakeTensor& operator=(const FakeTensor&) = delete;

  bool allocated() const { return view.rank >= 0; }

  uint64_t Count() const {
    uint64_t n = 1;
    for (int64_t size : shape) n *= static_cast<uint64_t>(size);
    return n;
  }

  void SetShape(int32_t rank, const int64_t* dims) {
    shape.assign(dims, dims + rank);
    strides.assign(shape.size(), 1);
    for (int32_t d = rank - 2; d >= 0; --d) strides[d] = strides[d + 1] * shape[d + 1];
    view.rank = rank;
    view.shape = rank ? shape.data() : nullptr;
    view.strides = rank ? strides.data() : nullptr;
  }

  void Allocate(int32_t rank, const int64_t* dims) {
    SetShape(rank, dims);
    Share(std::make_shared<FakeBuffer>(view.dtype, Count() * ElementSize(view.dtype)));
  }

  void Forget() {
    view.rank = -1;
    view.data = nullptr;
    view.shape = view.strides = nullptr;
    buffer.reset();
  }

  void Share(std::shared_ptr<FakeBuffer> other) {
    buffer = std::move(other);
    view.data = buffer->data;
    view.flags |= OPSRUN_TENSOR_ALIGNED64;
  }

  void CopyFrom(const FakeTensor& other) {
    Allocate(other.view.rank, other.shape.data());
    if (view.dtype == OPSRUN_DT_STRING) {
      const opsrun_str* slots = static_cast<const opsrun_str*>(other.view.data);
      for (uint64_t i = 0; i < Count(); ++i) AssignString(i, slots[i].data, slots[i].size);
    } else if (view.data) {
      std::memcpy(view.data, other.view.data, buffer->size);
      if (view.dtype == OPSRUN_DT_RESOURCE) KeepResources();
    }
  }

  void KeepResources() {
    for (uint64_t i = 0; i < Count(); ++i) {
      const opsrun_resource* resource = static_cast<const opsrun_resource**>(view.data)[i];
      if (resource) resource->host->resource_retain(resource);
    }
  }

  void AssignString(uint64_t i, const char* p, uint64_t n) {
    buffer->strings.emplace_back(n ? std::string(p, n) : std::string());
    static_cast<opsrun_str*>(view.data)[i] = {buffer->strings.back().data(), n};
  }

  opsrun_tensor view;
  std::vector<int64_t> shape, strides;
  std::shared_ptr<FakeBuffer> buffer;
  int references = 0;    // the plugin's; 0 for a tensor of a frame
  bool counted = false;  // made by allocate_temp or retain
  bool made = false;     // an output that allocate_output, set_output or forward_input has answered
};

}  // namespace opsrun_test
