// opsrun/async_op_kernel.h: AsyncOpKernel, a kernel whose work finishes on another thread.
//
// Compute waits until `done` has been called, so objects of the host do not have to outlive the call. `done` must be
// called exactly once, from any thread, after the last use of the context. A kernel that only computes does not need
// its own thread: Shard is faster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/done_signal.h"
#include "opsrun/namespace.h"
#include "opsrun/op_kernel.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class AsyncOpKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;

  // Can be copied and called like a std::function<void()>.
  typedef internal::DoneSignal DoneCallback;
  virtual void ComputeAsync(OpKernelContext* context, DoneCallback done) = 0;

  void Compute(OpKernelContext* context) final {
    const DoneCallback done;
    ComputeAsync(context, done);
    done.Wait();
  }
};

}  // namespace OPSRUN_HIDDEN

// Like OP_REQUIRES and OP_REQUIRES_OK, but also call `CALLBACK` before they return.
#define OP_REQUIRES_ASYNC(CTX, EXP, STATUS, CALLBACK)  \
  do {                                                 \
    if (!TF_PREDICT_TRUE(EXP)) {                       \
      (CTX)->CtxFailure(__FILE__, __LINE__, (STATUS)); \
      (CALLBACK)();                                    \
      return;                                          \
    }                                                  \
  } while (0)

#define OP_REQUIRES_OK_ASYNC(CTX, STATUS, CALLBACK)            \
  do {                                                         \
    const ::OPSRUN_NAMESPACE::Status opsrun_status = (STATUS); \
    if (TF_PREDICT_FALSE(!opsrun_status.ok())) {               \
      (CTX)->CtxFailure(__FILE__, __LINE__, opsrun_status);    \
      (CALLBACK)();                                            \
      return;                                                  \
    }                                                          \
  } while (0)
