// bench/peers/pytorch_native.cc: the op of plugins/zero_out written for PyTorch.
// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <torch/library.h>

#include <cstring>

namespace {

at::Tensor ZeroOut(const at::Tensor& to_zero, int64_t preserve_index) {
  const at::Tensor in = to_zero.contiguous();
  at::Tensor zeroed = at::empty_like(in);
  const int64_t size = in.numel();
  if (size == 0 && preserve_index == 0) return zeroed;
  AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, in.scalar_type(), "zero_out", [&] {
    const scalar_t* const from = in.const_data_ptr<scalar_t>();
    scalar_t* const to = zeroed.mutable_data_ptr<scalar_t>();
    TORCH_CHECK_VALUE(preserve_index < size, "preserve_index is ", preserve_index, ", but to_zero has only ", size,
                      " elements");
    std::memset(to, 0, static_cast<size_t>(size) * sizeof(scalar_t));
    to[preserve_index] = from[preserve_index];
  });
  return zeroed;
}

at::Tensor ZeroOutMeta(const at::Tensor& to_zero, int64_t) {
  return at::empty_like(to_zero);
}

}  // namespace

TORCH_LIBRARY(native_peer, m) {
  m.def("ZeroOut(Tensor to_zero, *, int preserve_index=0) -> Tensor");
}
TORCH_LIBRARY_IMPL(native_peer, CPU, m) {
  m.impl("ZeroOut", &ZeroOut);
}
TORCH_LIBRARY_IMPL(native_peer, Meta, m) {
  m.impl("ZeroOut", &ZeroOutMeta);
}
