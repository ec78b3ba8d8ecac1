// adapters/jax/native/call.h: one execution of a kernel on XLA's buffers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "adapters/common/call.h"
#include "adapters/common/few.h"
#include "op.h"
#include "values.h"

namespace opsrun_jax {

class Call : public opsrun_adapter::Frame {
 public:
  using Temporary = opsrun_adapter::Temporary<Owner>;

  // The frame and the op must outlive this object.
  Call(const opsrun_host* table, const TypedOp& op, const opsrun_kernel_object& kernel, const XLA_FFI_CallFrame& frame);

  // Returns the kernel's code.
  int32_t Run();

  // Slots of the host's table.
  int32_t AllocateOutput(uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view);
  int32_t SetOutput(uint32_t i, const opsrun_tensor* t);
  int32_t AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, const opsrun_tensor** t);
  static int32_t Keep(const opsrun_tensor& t, const opsrun_tensor** kept);
  int32_t ParallelFor(int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx);
  int32_t NumThreads() const;
  int32_t CurrentThread() const;

 protected:
  const TypedOp& op() const { return op_; }
  const XLA_FFI_CallFrame& frame() const { return frame_; }
  // Sets inputs and outputs to views of XLA's buffers.
  int32_t ShowBuffers();
  // Checks that the tensor can replace output i. bytes: set to its size.
  int32_t ReplaceOutput(uint32_t i, const opsrun_tensor& t, size_t& bytes);
  // Checks a temporary. type, bytes: set.
  int32_t CheckTemp(int32_t dtype, int32_t rank, const int64_t* dims, const TypeNumbers*& type, size_t& bytes);

 private:
  // Sets view to one of the buffer, an XLA_FFI_Buffer.
  int32_t ShowBuffer(const Expected& expected, const void* buffer, opsrun_tensor*& view);
  int32_t NoteAllocated(uint32_t i);
  std::string OutputName(uint32_t i) const;

  const TypedOp& op_;
  const XLA_FFI_CallFrame& frame_;
  opsrun_adapter::Room<opsrun_tensor*, 8> pointers_;
  opsrun_adapter::Room<opsrun_tensor, 8> views_;
  opsrun_adapter::Room<int64_t> strides_;
};

}  // namespace opsrun_jax
