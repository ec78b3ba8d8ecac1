// tests/sdk/fake_host.h: a host that is only a table, for tests that call plugin code directly.
//
// Every slot of opsrun_host works, on the heap and on the calling thread. Up to four may live at once, each with a
// table of its own. What plugin code must not do (use a handle of another host, release twice, leak a tensor) fails the
// running test. Calls, creates and shape calls for it are built with fake_call.h, fake_create.h and fake_shape_call.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "opsrun/c_api.h"
#include "tests/sdk/fake_tensor.h"

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

class FakeHost {
 public:
  FakeHost();
  ~FakeHost();  // fails the test if a tensor or a resource that the plugin made is still held
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  const opsrun_host* table() const { return &table_; }

  // The first failure reported for `where` (NULL: the entry), or one with code OPSRUN_OK.
  Failure FirstFailure(const void* where);
  void ForgetFailure(const void* where);

  const std::vector<LogLine>& log() const { return log_; }

  // What plugin code told a trace, in the order of the ends; nothing before RecordSpans.
  void RecordSpans() { records_ = true; }
  const std::vector<std::string>& spans() const { return spans_; }

  // What the plugin holds: temporaries and retained tensors, and references to resources.
  int held_tensors() const { return held_tensors_; }
  int held_resources() const { return held_resources_; }

  // Resources that can be found by name.
  int named_resources() const { return static_cast<int>(resources_.size()); }
  void ForgetResources();

  void Cancel() { cancelled_ = true; }

  // So many threads there are, as far as kernels can see: loops are cut into as many pieces, of which the last is
  // first.
  void PretendThreads(int threads) { threads_ = threads; }

  // The call of a slot with this number answers RESOURCE_EXHAUSTED and does nothing: 0 is the next one; below 0 none
  // does. Counted are slots that need memory, except resource_retain.
  void FailIn(int calls) { fails_in_ = calls; }
  // One was told to fail and was not called.
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
  FakeTensor* Find(const opsrun_tensor* t);  // fails the test and answers NULL if the tensor is not this host's
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
