// tests/sdk/fake_host.h: a host that consists of a function table, for tests that call plugin code directly.
//
// Every slot of opsrun_host works, on the heap and on the calling thread. Up to four hosts may exist at a time, each
// with its own table. Errors of plugin code (using a handle of another host, releasing twice, leaking a tensor) fail
// the running test. Calls, creates and shape calls for it are built with fake_call.h and fake_shape_call.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "opsrun/c_api.h"

namespace opsrun_test {

class FakeShapeCall;

struct Failure {
  int32_t code = OPSRUN_OK;
  std::string text, subject;
};

struct LogLine {
  int32_t severity;
  std::string text, file;
  uint32_t line;
};

inline opsrun_str Str(const std::string& text) {
  return {text.data(), text.size()};
}
inline std::string Text(opsrun_str text) {
  return text.size == 0 ? std::string() : std::string(text.data, text.size);
}

// DLPack's type of a data type; bits are 8 times its size in c_api.h.
inline opsrun_dldtype DlTypeOf(int32_t dtype) {
  static const std::map<int32_t, opsrun_dldtype> kTypes = {
      {OPSRUN_DT_FLOAT, {2, 32, 1}},    {OPSRUN_DT_DOUBLE, {2, 64, 1}},    {OPSRUN_DT_HALF, {2, 16, 1}},
      {OPSRUN_DT_BFLOAT16, {4, 16, 1}}, {OPSRUN_DT_COMPLEX64, {5, 64, 1}}, {OPSRUN_DT_COMPLEX128, {5, 128, 1}},
      {OPSRUN_DT_BOOL, {6, 8, 1}},      {OPSRUN_DT_UINT8, {1, 8, 1}},      {OPSRUN_DT_QUINT8, {1, 8, 1}},
      {OPSRUN_DT_UINT16, {1, 16, 1}},   {OPSRUN_DT_QUINT16, {1, 16, 1}},   {OPSRUN_DT_UINT32, {1, 32, 1}},
      {OPSRUN_DT_UINT64, {1, 64, 1}},   {OPSRUN_DT_INT8, {0, 8, 1}},       {OPSRUN_DT_QINT8, {0, 8, 1}},
      {OPSRUN_DT_INT16, {0, 16, 1}},    {OPSRUN_DT_QINT16, {0, 16, 1}},    {OPSRUN_DT_INT32, {0, 32, 1}},
      {OPSRUN_DT_QINT32, {0, 32, 1}},   {OPSRUN_DT_INT64, {0, 64, 1}},     {OPSRUN_DT_STRING, {3, 128, 1}}};
  const auto found = kTypes.find(dtype);
  return found == kTypes.end() ? opsrun_dldtype{3, 64, 1} : found->second;  // otherwise a slot that holds a pointer
}

inline std::size_t ElementSize(int32_t dtype) {
  return DlTypeOf(dtype).bits / 8u;
}

inline std::string ShapeText(int32_t rank, const int64_t* dims) {
  std::string text = "[";
  for (int32_t d = 0; d < rank; ++d) text += (d ? "," : "") + std::to_string(dims[d]);
  return text + "]";
}

// Memory for elements, which tensors may share. New memory is filled with 0xAB, so that code cannot rely on zeros.
// String slots are initially empty and point into `strings`; those of resources are initially null and own a reference.
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
  bool made = false;     // an output that allocate_output, set_output or forward_input has made
};

class FakeHost {
 public:
  FakeHost();
  ~FakeHost();  // fails the test if a tensor or a resource of the plugin was not released
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  const opsrun_host* table() const { return &table_; }

  // The first failure reported for `where` (NULL: the entry), or one with code OPSRUN_OK.
  Failure FirstFailure(const void* where);
  void ForgetFailure(const void* where);

  const std::vector<LogLine>& log() const { return log_; }

  // The trace spans of plugin code, in the order in which they ended; recorded after RecordSpans.
  void RecordSpans() { records_ = true; }
  const std::vector<std::string>& spans() const { return spans_; }

  // What the plugin has not released: temporaries and retained tensors, and references to resources.
  int held_tensors() const { return held_tensors_; }
  int held_resources() const { return held_resources_; }

  // Resources that can be found by name.
  int named_resources() const { return static_cast<int>(resources_.size()); }
  void ForgetResources();

  void Cancel() { cancelled_ = true; }

  // The number of threads that kernels see: loops are split into as many pieces, and the last one runs first.
  void PretendThreads(int threads) { threads_ = threads; }

  // The n-th call of a slot from now on, from 0, returns RESOURCE_EXHAUSTED and does nothing; below 0: none does. Only
  // slots that need memory are counted, except resource_retain.
  void FailIn(int calls) { fails_in_ = calls; }
  // True if a failure was requested but has not happened yet.
  bool HasNotFailed() const { return fails_in_ >= 0; }

  // A tensor of a frame: the plugin has no reference to it. It lives as long as the host.
  FakeTensor* NewFrameTensor(int32_t dtype);

  // For the builders of calls.
  void Add(FakeShapeCall* call, const opsrun_shape_call* handle) { shape_calls_[handle] = call; }
  void Remove(const opsrun_shape_call* handle) { shape_calls_.erase(handle); }

 private:
  template <int N>
  friend struct FakeTable;

  using Key = std::tuple<std::string, std::string, std::string>;
  struct Resource {
    const Key key;
    opsrun_resource handle;
    int references;
  };

  int32_t Fail(void* where, int32_t code, const std::string& text, const std::string& subject = "");
  int32_t AllocateOutput(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view);
  int32_t SetOutput(opsrun_call* call, uint32_t i, const opsrun_tensor* t);
  int32_t ForwardInput(opsrun_call* call, uint32_t in, uint32_t out, int32_t rank, const int64_t* dims,
                       opsrun_tensor** view);
  int32_t AllocateTemp(void* where, int32_t dtype, int32_t rank, const int64_t* dims, const opsrun_tensor** t);
  int32_t Retain(const opsrun_tensor* t, const opsrun_tensor** kept);
  void Release(const opsrun_tensor* t);
  int32_t FindOrMake(void* where, const Key& key, int32_t (*make)(void*, void**), void* ctx, void (*destroy)(void*),
                     const opsrun_resource** r);
  int32_t ChangeReferences(const opsrun_resource* r, int by);
  int32_t DeleteResource(void* where, const Key& key);
  void Drop(Resource* resource);

  bool MustFail() { return fails_in_ >= 0 && fails_in_-- == 0; }
  FakeTensor* NewTensor(int32_t dtype, bool counted);
  FakeTensor* Find(const opsrun_tensor* t);  // fails the test and returns NULL if it is not this host's
  FakeShapeCall* Find(const opsrun_shape_call* call);

  int slot_;
  opsrun_host table_;
  std::mutex mutex_;  // fail and log may come from any thread of a call
  std::map<const void*, Failure> failures_;
  std::vector<LogLine> log_;
  int threads_ = 1;
  bool records_ = false;
  std::vector<std::string> spans_;
  std::map<const opsrun_tensor*, std::unique_ptr<FakeTensor>> tensors_;
  std::map<const opsrun_resource*, std::unique_ptr<Resource>> all_resources_;
  std::map<Key, Resource*> resources_;
  std::map<const opsrun_shape_call*, FakeShapeCall*> shape_calls_;
  int held_tensors_ = 0;
  int held_resources_ = 0;
  bool cancelled_ = false;
  int fails_in_ = -1;
};

}  // namespace opsrun_test
