// adapters/jax/native/handler.h: the functions that XLA calls.
//
// One pair of functions serves all ops. `instantiate` runs when a program is compiled: it finds the op by the attribute
// "op" of the call, its text, and returns it to XLA, which keeps it with the program. `execute` runs it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "xla/ffi/api/c_api.h"

namespace opsrun_jax {

XLA_FFI_Error* Instantiate(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* Execute(XLA_FFI_CallFrame* frame);

}  // namespace opsrun_jax
