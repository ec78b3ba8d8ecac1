// adapters/pytorch/native/call.h: one execution of a kernel on tensors of PyTorch, and the table of functions that it may
// call meanwhile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/util/SmallVector.h>

#include <mutex>
#include <string>
#include <vector>

#include "view.h"

namespace opsrun_torch {

// The functions that kernels call: PyTorch's memory and threads; everything else is the engine's. Lives as long as the
// process. engine: the engine's own table.
const opsrun_host* MakeTable(const opsrun_host* engine);

class Call : public opsrun_call {
 public:
  // All outlive it. out_types: of all outputs, lists flattened.
  Call(const opsrun_host* table, const opsrun_kernel_object* kernel, const std::vector<const TypeNumbers*>& out_types,
       size_t n_inputs);
  Call(const Call&) = delete;

  // Input i. See View::Show.
  void SetInput(size_t i, const TypeNumbers& type, at::Tensor tensor);
  // Returns the code of compute, with the reason in `text` and what is at fault, such as "input:x", in `subject`.
  int32_t Run();
  std::string text, subject;

  at::Tensor TakeOutput(size_t i) { return outputs_[i].Take(); }

  // The slots of the table.
  int32_t Fail(int32_t code, std::string why, std::string whose);
  int32_t AllocateOutput(uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view);
  int32_t SetOutput(uint32_t i, const opsrun_tensor* t);
  int32_t AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, const opsrun_tensor** t);
  const opsrun_kernel_object* kernel() const { return kernel_; }

 private:
  static constexpr size_t kFew = 4;
  // Views never move, so they are made once, here or on the heap.
  struct Views {
    explicit Views(size_t n) : more(n > kFew ? new View[n] : nullptr) {}
    ~Views() { delete[] more; }
    View& operator[](size_t i) { return more == nullptr ? few[i] : more[i]; }
    View few[kFew];
    View* const more;
  };

  const opsrun_kernel_object* const kernel_;
  const std::vector<const TypeNumbers*>& out_types_;
  Views inputs_, outputs_;
  c10::SmallVector<const opsrun_tensor*, kFew> in_;
  c10::SmallVector<opsrun_tensor*, kFew> out_;
  std::mutex failing_;  // guards text and subject while the kernel runs
};

}  // namespace opsrun_torch
