// adapters/pytorch/native/call.h: one execution of a kernel on PyTorch tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "adapters/common/call.h"
#include "adapters/common/few.h"
#include "values.h"

namespace opsrun_torch {

class Call : public opsrun_adapter::Frame {
 public:
  using Temporary = opsrun_adapter::Temporary<Owner>;

  // All must outlive this object. out_types: of all outputs, lists flattened.
  Call(const opsrun_host* table, const opsrun_kernel_object* kernel, const std::vector<const TypeNumbers*>& out_types,
       size_t n_inputs);
  ~Call();

  // Adds the next input, of this rank. A tensor that is dense, row-major and aligned is borrowed, any other is copied.
  void AddInput(const TypeNumbers& type, AtenTensorHandle tensor, int32_t rank);
  // Requires: all inputs were added. Returns the code of compute.
  int32_t Run();

  Tensor TakeOutput(size_t i) { return outputs_[i].view.Take(); }

  // Slots of the table, see adapters/common/call.h.
  int32_t AllocateOutput(uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view);
  int32_t SetOutput(uint32_t i, const opsrun_tensor* t);
  int32_t AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, const opsrun_tensor** t) {
    return AllocateTemp(dtype, rank, dims, Place(), t);
  }
  static int32_t Keep(const opsrun_tensor& t, const opsrun_tensor** kept);
  int32_t ParallelFor(int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx);
  int32_t NumThreads() const;
  int32_t CurrentThread() const;

 protected:
  // As AddInput, with a tensor that is plain, or that the call takes over.
  Input& Borrow(const TypeNumbers& type, AtenTensorHandle tensor, int32_t rank);
  Input& Add(const TypeNumbers& type, Tensor tensor, int32_t rank);
  Owner& output(size_t i) { return outputs_[i].view; }
  const TypeNumbers& out_type(size_t i) const { return *out_types_[i]; }
  int32_t AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, const Place& place, const opsrun_tensor** t);

 private:
  struct Output {
    Output(const opsrun_host* table, const TypeNumbers& type) : view(table, type) {}
    Owner view;
    Temporary* from = nullptr;  // the temporary that became this output; one reference
  };
  void Detach(uint32_t i);
  Place PlaceOnCall(const opsrun_tensor& t) const;

  const std::vector<const TypeNumbers*>& out_types_;
  opsrun_adapter::Few<Input> inputs_;
  opsrun_adapter::Few<Output> outputs_;
  opsrun_adapter::Few<const opsrun_tensor*> in_;
  opsrun_adapter::Few<opsrun_tensor*> out_;
  std::vector<Tensor> copies_;
};

}  // namespace opsrun_torch
