// host/cli/conform/test_call.h: one call of TestHost, and the views of its tensors. Private to these files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/cli/conform/test_host.h"

namespace opsrun::host {

// A tensor of this host. `view` comes first, so that its address is that of the object.
struct TestTensor {
  TestTensor(const opsrun_host* host, DType dtype);
  TestTensor(const TestTensor&) = delete;

  // Gives it fresh memory. Throws std::bad_alloc.
  void Allocate(const Shape& shape, const Arrangement& arrangement);
  // Its memory becomes that of another tensor, which must outlive it.
  void Share(const TestTensor& other, const Shape& shape);
  // Copies the elements of a tensor of the same type and shape.
  void Fill(const void* elements);
  bool is_allocated() const { return view.rank >= 0; }
  size_t bytes() const;
  Shape shape() const { return {view.shape, view.shape + view.rank}; }
  DType dtype() const { return DTypeFromNumber(view.dtype); }
  std::string Damage() const { return block == nullptr ? "" : block->Damage(); }

  opsrun_tensor view{};
  std::vector<int64_t> sizes;  // shape, then strides
  std::unique_ptr<GuardedBlock> block;
  Tensor slots;  // the memory of strings
  std::atomic<int32_t> references{1};
  TestHost* holder = nullptr;  // of a temporary or retained tensor: who counts it

  void SetShape(const Shape& shape);
};

class TestCall : public opsrun_call {
 public:
  TestCall(TestHost& host, const CallInputs& inputs, const Arrangement& arrangement);
  TestCall(const TestCall&) = delete;
  ~TestCall();

  Outcome Run();

  // The slots of the table.
  int32_t Fail(int32_t code, std::string text, std::string subject);
  int32_t AllocateOutput(uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view);
  int32_t SetOutput(uint32_t i, const opsrun_tensor* t);
  int32_t ForwardInput(uint32_t in, uint32_t out, int32_t rank, const int64_t* dims, opsrun_tensor** view);
  int32_t AllocateTemp(DType dtype, int32_t rank, const int64_t* dims, const opsrun_tensor** t);
  int32_t ParallelFor(int64_t n, opsrun_range_fn fn, void* ctx);
  bool IsCancelled();
  int32_t threads() const { return arrangement_.loops == Arrangement::Loops::kWhole ? 1 : 4; }
  TestHost& host_of_test() { return host_; }
  const CallInputs& inputs() const { return inputs_; }

 private:
  void MakeInputs();
  void MakeOutputs();
  void MakeWorkspace();
  void PlaceOutputs();
  std::optional<uint32_t> InputFor(uint32_t output) const;
  void Look(Outcome& outcome);
  std::optional<Tensor> Output(uint32_t i, Outcome& outcome);
  int32_t Mistake(int32_t code, std::string text);

  TestHost& host_;
  const CallInputs& inputs_;
  const Arrangement& arrangement_;
  std::vector<std::unique_ptr<TestTensor>> ins_, outs_;
  std::vector<const opsrun_tensor*> in_views_;
  std::vector<opsrun_tensor*> out_views_;
  std::vector<std::optional<Tensor>> set_;  // by set_output
  std::vector<bool> asked_for_;             // by allocate_output or forward_input
  std::vector<bool> given_;                 // by input: an output is in its memory
  std::unique_ptr<GuardedBlock> workspace_;
  std::atomic<int64_t> questions_{0};
  std::mutex mutex_;  // guards what follows, which threads of the kernel may reach
  Status failure_;
  std::string mistake_;
};

}  // namespace opsrun::host
