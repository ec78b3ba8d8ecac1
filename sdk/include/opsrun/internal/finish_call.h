// opsrun/internal/finish_call.h: how a call of a kernel begins and ends, in other than the common case.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "opsrun/op_kernel_context.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

inline __attribute__((noinline)) void OpKernelContext::Begin() {
  if (internal::CCopiesScope::IsNeeded()) {
    first_c_copy_ = internal::CCopiesScope::Count();
    notes_ |= kCountsCopies;
  }
  if (call_->n_out == 1) return;
  notes_ |= kManyOutputs;
  outputs_.Prepare(call_->n_out);
}

OPSRUN_COLD inline int32_t OpKernelContext::End(const Status& status) {
  const int32_t code = internal::Report(call_->host, call_, status);
  if (failure_ != nullptr) internal::Delete(failure_);
  KeepSlotInputs();
  delete[] slot_inputs_;
  if ((notes_ & kHasEigenDevice) != 0) device_box_.Destroy();
  if (internal::CCopiesScope::IsNeeded())
    internal::CCopiesScope::DeleteFrom((notes_ & kCountsCopies) != 0 ? first_c_copy_ : 0);
  outputs_.Destroy(call_->n_out);
  return code;
}

// Several threads may ask at the same time; the first one makes it.
OPSRUN_COLD inline void OpKernelContext::MakeDevice() const {
  if ((__atomic_fetch_or(&notes_, kMakesDevice, __ATOMIC_RELAXED) & kMakesDevice) == 0) {
    new (&device_) DeviceBase(call_, const_cast<OpKernelContext*>(this));
    __atomic_fetch_or(&notes_, kHasDevice, __ATOMIC_RELEASE);
  }
  while ((__atomic_load_n(&notes_, __ATOMIC_ACQUIRE) & kHasDevice) != kHasDevice) {
  }
}

inline __attribute__((noinline)) int32_t OpKernelContext::Finish() {
  if ((__atomic_load_n(&notes_, __ATOMIC_RELAXED) & ~(kHasDevice | kManyOutputs)) == 0 &&
      outputs_.AllShown(call_->n_out) && !internal::CCopiesScope::IsNeeded()) {
    return OPSRUN_OK;
  }
  return FinishSlowly();
}

OPSRUN_COLD inline int32_t OpKernelContext::FinishThrown() {
  WaitForScheduled();
  return End(internal::StatusOfException());
}

OPSRUN_COLD inline int32_t OpKernelContext::FinishSlowly() {
  WaitForScheduled();
  for (int i = 0; i < num_outputs() && status().ok(); ++i) {
    if (!outputs_.IsMade(i)) {
      if ((notes_ & kMaySkipOutputs) != 0 && !IsOutputRequired(i)) continue;
      TakeFailure(
          OutputError(error::INTERNAL, i, "The kernel did not make %s", signature_->outputs().Describe(i).c_str())
              .Release());
    } else if (outputs_.IsReplaced(i)) {
      const bool is_in_frame = outputs_.IsShared(i);
      const Tensor tensor = outputs_.Take(i);
      if (is_in_frame) {
        outputs_.Show(i, call_->out[i]);
      } else {
        TakeFailure(ShareOutput(i, tensor).Release());
      }
    }
  }
  if (!KeepSlotInputs())
    TakeFailure(internal::Error(error::RESOURCE_EXHAUSTED, "The host cannot keep an input").Release());
  return End(status());
}

}  // namespace OPSRUN_HIDDEN
