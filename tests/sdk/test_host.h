// tests/sdk/test_host.h: the real host, for tests that call plugin code directly. Its slots are watched: they count
// what plugins hold, and may fail on request.
//
//   TestHost host;
//   TestCreate create(host);
//   create.In("x", OPSRUN_DT_INT32).Out("y", OPSRUN_DT_INT32).attrs.Int("k", 3);
//   void* kernel = nullptr;
//   EXPECT_EQ(create.Run(*table->kernels[0], &kernel), OPSRUN_OK);
//   TestCall call(host);
//   call.In<int32_t>({2}, {7, 8}).Planned(OPSRUN_DT_INT32, {2});
//   EXPECT_EQ(call.Run(compute, kernel), OPSRUN_OK);
//   EXPECT_EQ(call.Values<int32_t>(0), (std::vector<int32_t>{8, 9}));
//
// Up to eight hosts may exist at a time. A host fails the running test if its table is given a call or an object of
// another host, or if at its end a plugin holds tensors or resources, or memory is in use. No header of the host is
// included.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "opsrun/c_api.h"
#include "opsrun/testing/array.h"
#include "tests/sdk/test_attrs.h"

namespace opsrun_test {

// What the plugin reported, or the host refused; code OPSRUN_OK: nothing.
struct Failure {
  int32_t code = OPSRUN_OK;
  std::string text, subject;
};

using opsrun::test::kDType;

// A tensor that tests make, in memory of its own. Movable.
struct TestTensor {
  template <typename T>
  TestTensor(std::vector<int64_t> shape, const std::vector<T>& values, int32_t dtype = kDType<T>)
      : dtype(dtype),
        shape(std::move(shape)),
        data(new (std::align_val_t(64)) char[std::max<size_t>(values.size() * sizeof(T), 1)],
             [](char* bytes) { operator delete[](bytes, std::align_val_t(64)); }) {
    std::copy(values.begin(), values.end(), reinterpret_cast<T*>(data.get()));
  }
  static TestTensor OfStrings(std::vector<int64_t> shape, const std::vector<std::string>& values) {
    Kept kept;
    TestTensor tensor(std::move(shape), kept.Texts(values), OPSRUN_DT_STRING);
    tensor.kept = kept;
    return tensor;
  }

  int32_t dtype;
  std::vector<int64_t> shape;
  std::shared_ptr<char> data;
  Kept kept;
};

class TestHost {
 public:
  TestHost();
  ~TestHost();
  TestHost(const TestHost&) = delete;
  TestHost& operator=(const TestHost&) = delete;

  const opsrun_host* table() const;

  // Temporaries and retained tensors that the plugin has not released.
  int held_tensors() const;

  // Resources that can be found by name.
  int named_resources() const;
  void ForgetResources();

  // The tensor as the value of an attr; lives as long as the host.
  const opsrun_tensor* View(const TestTensor& tensor);

  // Stops the runs of calls.
  void Cancel();

  // The number of threads that kernels see: loops are split into as many pieces, and the last one runs first.
  void PretendThreads(int threads);

  // Later calls are traced. spans: what plugin code has told the trace, in that order.
  void RecordSpans();
  struct Span {
    std::string name;
    int64_t begin;
  };
  const std::vector<Span>& spans() const;

  // The n-th call of a slot from now on, from 0, returns RESOURCE_EXHAUSTED and does nothing; below 0: none does. Only
  // slots that need memory are counted, except resource_retain.
  void FailIn(int calls);
  // True if a failure was requested but has not happened yet.
  bool HasNotFailed() const;

  struct Impl;
  Impl& impl() const { return *impl_; }

 private:
  const std::unique_ptr<Impl> impl_;
};

// The inputs or outputs of a node: named ranges, and all types.
struct TestArgs {
  void Add(const std::string& name, const std::vector<int32_t>& dtypes, uint32_t flags = 0) {
    const auto first = static_cast<uint32_t>(types.size()), count = static_cast<uint32_t>(dtypes.size());
    args.push_back({kept.Text(name), first, count, flags, 0});
    types.insert(types.end(), dtypes.begin(), dtypes.end());
  }
  std::vector<opsrun_arg> args;
  std::vector<int32_t> types;
  Kept kept;
};

// Creates kernel objects.
class TestCreate {
 public:
  explicit TestCreate(TestHost& host, std::string op = "Op", std::string node = "node");
  ~TestCreate();

  TestCreate& In(const std::string& name, int32_t dtype) { return InList(name, {dtype}, 0); }
  TestCreate& InList(const std::string& name, const std::vector<int32_t>& dtypes, uint32_t flags = OPSRUN_ARG_LIST) {
    in_.Add(name, dtypes, flags);
    return *this;
  }
  TestCreate& Out(const std::string& name, int32_t dtype) { return OutList(name, {dtype}, 0); }
  TestCreate& OutList(const std::string& name, const std::vector<int32_t>& dtypes, uint32_t flags = OPSRUN_ARG_LIST) {
    out_.Add(name, dtypes, flags);
    return *this;
  }

  // A new create call; valid until the next handle() or Run.
  opsrun_create* handle();

  int32_t Run(int32_t (*create)(void*, opsrun_create*, void**), void* ctx, void** object);
  int32_t Run(const opsrun_kernel& kernel, void** object) { return Run(kernel.create, kernel.ctx, object); }
  const Failure& failure() const { return failure_; }  // of the last run

  TestAttrs attrs;
  opsrun_device device = {OPSRUN_DEVICE_CPU, 0};

 private:
  struct Impl;
  TestHost& host_;
  const std::string op_, node_;
  TestArgs in_, out_;
  Failure failure_;
  std::unique_ptr<Impl> impl_;
};

// Calls compute as the only node of a graph, with feeds as inputs.
class TestCall {
 public:
  explicit TestCall(TestHost& host);
  ~TestCall();

  // Inputs, in order.
  template <typename T>
  TestCall& In(const std::vector<int64_t>& shape, const std::vector<T>& values, int32_t dtype = kDType<T>) {
    in_.emplace_back(shape, values, dtype);
    return *this;
  }
  TestCall& InStrings(const std::vector<int64_t>& shape, const std::vector<std::string>& values) {
    in_.push_back(TestTensor::OfStrings(shape, values));
    return *this;
  }

  // Outputs, in order: with memory and shape planned before the run, or left to allocate_output.
  TestCall& Planned(int32_t dtype, const std::vector<int64_t>& shape) {
    out_.push_back({dtype, true, shape});
    return *this;
  }
  TestCall& Out(int32_t dtype) {
    out_.push_back({dtype, false, {}});
    return *this;
  }

  // This call is the last reader of input i, which is then another node's output.
  TestCall& Forwardable(uint32_t i) {
    forwardable_ |= uint64_t{1} << i;
    return *this;
  }

  // Can be called several times.
  int32_t Run(int32_t (*compute)(void*, opsrun_call*), void* kernel);
  const Failure& failure() const { return failure_; }  // of the last run

  // Output i of the last run, which must have succeeded.
  const opsrun_tensor& Output(uint32_t i) const;
  template <typename T>
  std::vector<T> Values(uint32_t i) const {
    const T* data = static_cast<const T*>(Output(i).data);
    int64_t count = 1;
    for (const int64_t size : Shape(i)) count *= size;
    return std::vector<T>(data, data + count);
  }
  std::vector<std::string> Strings(uint32_t i) const {
    std::vector<std::string> texts;
    for (const opsrun_str& slot : Values<opsrun_str>(i)) texts.push_back(Text(slot));
    return texts;
  }
  std::vector<int64_t> Shape(uint32_t i) const { return {Output(i).shape, Output(i).shape + Output(i).rank}; }

  // The memory of input i, which the call borrows unless the input is forwardable.
  template <typename T>
  T* Input(uint32_t i) const {
    return reinterpret_cast<T*>(in_[i].data.get());
  }

 private:
  struct Result {
    int32_t dtype;
    bool planned;
    std::vector<int64_t> shape;
  };
  struct Impl;
  TestHost& host_;
  std::vector<TestTensor> in_;
  std::vector<Result> out_;
  uint64_t forwardable_ = 0;
  Failure failure_;
  std::unique_ptr<Impl> impl_;
};

// NULL if the table does not have the op.
inline const opsrun_op* RegisteredOp(const std::string& name, opsrun_entry_fn entry = &opsrun_plugin_v1) {
  const opsrun_plugin* table = entry(TestHost().table());
  for (uint32_t i = 0; i < table->n_ops; ++i) {
    if (Text(table->ops[i]->name) == name) return table->ops[i];
  }
  return nullptr;
}

// The first kernel of the op; with a label, the first one with that label.
inline const opsrun_kernel* RegisteredKernel(const std::string& op, opsrun_entry_fn entry = &opsrun_plugin_v1,
                                             const std::string& label = "") {
  const opsrun_plugin* table = entry(TestHost().table());
  for (uint32_t i = 0; i < table->n_kernels; ++i) {
    if (Text(table->kernels[i]->op) == op && Text(table->kernels[i]->label) == label) return table->kernels[i];
  }
  return nullptr;
}

// Fails the test if each call of `body` leaves more memory allocated. The caches of malloc, which count as used, may
// grow at first. (Sanitizers detect leaks themselves; this check does nothing with them.)
template <typename Body>
void ExpectNoLeak(Body body) {
  constexpr int kTimes = 8;
  size_t before = 0;
  for (int round = 0; round < 12; ++round) {
    const size_t now = mallinfo2().uordblks;
    if (round > 1 && now <= before) return;
    before = now;
    for (int i = 0; i < kTimes; ++i) body();
  }
  EXPECT_LE(mallinfo2().uordblks, before) << "memory grows with each call";
}

}  // namespace opsrun_test
