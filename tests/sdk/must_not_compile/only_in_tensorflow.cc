// tests/sdk/must_not_compile/only_in_tensorflow.cc: a method that the SDK cannot support; the error says what to do.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op_kernel.h"

void Use(opsrun::OpKernelContext* context) {
  context->cancellation_manager();
}
