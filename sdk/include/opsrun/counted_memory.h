// opsrun/counted_memory.h: CountedMemory, memory of a plugin's own that counts for `--memory-limit`.
//
//   Status Insert(OpKernelContext* context, ...) {
//     mutex_lock lock(mutex_);
//     TF_RETURN_IF_ERROR(memory_.Set(context, bytes_then));
//     ...
//   }
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/string_memory.h"
#include "opsrun/namespace.h"
#include "opsrun/op_kernel_context.h"
#include "opsrun/status.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// A member of an object that allocates memory by itself, such as a table that kernels share. Tensors, and the texts of
// tstrings, count anyway. The object must be a resource or belong to a kernel: it must not outlive its host. Not
// thread-safe. Of a host that counts no such memory, all is granted.
class CountedMemory {
 public:
  CountedMemory() = default;
  CountedMemory(const CountedMemory&) = delete;
  CountedMemory& operator=(const CountedMemory&) = delete;
  ~CountedMemory() {
    if (bytes_ > 0) memory_->give_back(host_, static_cast<uint64_t>(bytes_));
  }

  // How many bytes the object has from now on. Call it before it allocates more. RESOURCE_EXHAUSTED: they are beyond
  // the limit, and the count stays as it was. context: of any call.
  ReturnedStatus Set(OpKernelContext* context, int64 bytes) {
    if (host_ == nullptr) {
      host_ = context->call()->host;
      memory_ = opsrun_sdk_memory_of(host_);
    }
    if (memory_ == nullptr || bytes == bytes_) return Status();
    if (bytes < bytes_) {
      memory_->give_back(host_, static_cast<uint64_t>(bytes_ - bytes));
    } else if (memory_->reserve(host_, static_cast<uint64_t>(bytes - bytes_)) != OPSRUN_OK) {
      return errors::ResourceExhausted("Not enough memory for ", bytes, " bytes");
    }
    bytes_ = bytes;
    return Status();
  }
  int64 bytes() const { return bytes_; }

 private:
  const opsrun_host* host_ = nullptr;
  const opsrun_memory* memory_ = nullptr;
  int64 bytes_ = 0;
};

}  // namespace OPSRUN_HIDDEN
