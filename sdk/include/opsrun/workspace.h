// opsrun/workspace.h: memory that a kernel needs during a call besides its outputs, planned before the run if possible.
//
// A kernel class says how much it needs by a method that is not virtual:
//   int64 WorkspaceBytes(const std::vector<TensorShape>& inputs) const;
// The shapes are those of all inputs, with lists flattened. The host calls it once, if all shapes are known before the
// run, and then no call allocates. It may return -1 for a size that it cannot tell. Otherwise, and beyond that size,
// Workspace allocates temporaries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "opsrun/namespace.h"
#include "opsrun/op_kernel.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// The workspace of one call, handed out in pieces. For the thread of the call.
class Workspace {
 public:
  // The context must outlive this object.
  explicit Workspace(OpKernelContext* context) : context_(context) {}
  Workspace(const Workspace&) = delete;

  // What WorkspaceBytes counts for a piece.
  static constexpr int64 BytesOf(int64 bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

  // Sets *memory to `bytes` bytes, aligned to 64, with undefined contents, in the memory of the kernel's device. They
  // are valid as long as this object. RESOURCE_EXHAUSTED: that much memory is not available.
  template <typename T>
  Status Take(int64 bytes, T** memory) {
    const opsrun_call& call = *context_->call();
    if (bytes < 0) return errors::InvalidArgument("a workspace cannot have ", bytes, " bytes");
    const int64 left = static_cast<int64>(call.workspace_bytes) - used_;
    if (bytes <= left && BytesOf(bytes) <= left) {
      *memory = reinterpret_cast<T*>(static_cast<char*>(call.workspace) + used_);
      used_ += BytesOf(bytes);
      return Status();
    }
    more_.emplace_back();
    TF_RETURN_IF_ERROR(context_->allocate_temp(DT_UINT8, TensorShape({bytes}), &more_.back()));
    *memory = static_cast<T*>(more_.back().data());
    return Status();
  }

 private:
  static constexpr int64 kAlignment = 64;

  OpKernelContext* const context_;
  int64 used_ = 0;
  std::vector<Tensor> more_;  // temporaries
};

}  // namespace OPSRUN_HIDDEN
