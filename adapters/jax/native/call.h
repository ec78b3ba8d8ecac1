// adapters/jax/native/call.h: one execution of a kernel on buffers of XLA.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "typed_op.h"
#include "view.h"

namespace opsrun_jax {

class Call : public opsrun_call {
 public:
  // The frame and the op outlive it.
  Call(const opsrun_host* table, const TypedOp& op, const opsrun_kernel_object& kernel, const XLA_FFI_CallFrame& frame);
  Call(const Call&) = delete;

  // Returns the code of the call, with the reason in `text` and what is at fault, such as "input:x", in `subject`.
  int32_t Run();
  std::string text, subject;

  // The slots of the table.
  int32_t Fail(int32_t code, std::string why, std::string whose);
  int32_t AllocateOutput(uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view);
  int32_t SetOutput(uint32_t i, const opsrun_tensor* t);
  int32_t AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, const opsrun_tensor** t);
  static int32_t Retain(const opsrun_tensor* t, const opsrun_tensor** kept);
  static void Release(const opsrun_tensor* t);
  int32_t ParallelFor(int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx);
  int32_t NumThreads() const;
  int32_t CurrentThread() const;
  const opsrun_kernel_object* kernel() const { return &kernel_; }

 private:
  static constexpr size_t kFewViews = 8, kFewSizes = 32;

  int32_t ShowBuffers();
  int32_t ShowBuffer(const TypeNumbers& type, const void* buffer, uint32_t flags, opsrun_tensor& view,
                     int64_t*& strides);
  int32_t NoteAllocated(uint32_t i);
  std::string OutputName(uint32_t i) const;

  const TypedOp& op_;
  const opsrun_kernel_object& kernel_;
  const XLA_FFI_CallFrame& frame_;
  std::mutex failing_;                           // guards text and subject while the kernel runs
  std::unique_ptr<opsrun_tensor[]> more_views_;  // if there are more than a few
  std::unique_ptr<opsrun_tensor*[]> more_pointers_;
  std::unique_ptr<int64_t[]> more_strides_;
  std::unique_ptr<bool[]> allocated_;  // by output, from the first allocation on
  // Inputs, then outputs. Not initialized here: that would cost more than to fill them.
  opsrun_tensor views_[kFewViews];
  opsrun_tensor* pointers_[kFewViews];
  int64_t strides_[kFewSizes];
};

}  // namespace opsrun_jax
