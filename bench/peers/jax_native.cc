// bench/peers/jax_native.cc: plugins/zero_out as a native XLA call, for comparison.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

static ffi::Error ZeroOut(int64_t preserve_index, ffi::Buffer<ffi::S32> to_zero, ffi::ResultBuffer<ffi::S32> zeroed) {
  const auto n = static_cast<int64_t>(to_zero.element_count());
  if (preserve_index < 0 || preserve_index >= n) return ffi::Error::InvalidArgument("preserve_index is out of range");
  std::fill_n(zeroed->typed_data(), n, 0);
  zeroed->typed_data()[preserve_index] = to_zero.typed_data()[preserve_index];
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    zero_out, ZeroOut,
    ffi::Ffi::Bind().Attr<int64_t>("preserve_index").Arg<ffi::Buffer<ffi::S32>>().Ret<ffi::Buffer<ffi::S32>>());
