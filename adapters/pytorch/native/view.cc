// adapters/pytorch/native/view.cc
// SPDX-License-Identifier: Apache-2.0
#include "view.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include <cstring>

namespace opsrun_torch {

// clone() materializes lazy conjugation and negation.
at::Tensor PlainCopyOf(const at::Tensor& tensor) {
  const at::AutoDispatchBelowADInplaceOrView guard;
  return tensor.clone(at::MemoryFormat::Contiguous).resolve_conj().resolve_neg();
}

at::Tensor NewTensor(const TypeNumbers& type, c10::IntArrayRef sizes) {
  return at::Tensor(at::detail::empty_cpu(sizes, type.torch));
}

at::Tensor CopyOf(const void* data, const TypeNumbers& type, c10::IntArrayRef sizes) {
  at::Tensor copy = NewTensor(type, sizes);
  if (copy.nbytes() > 0) std::memcpy(copy.data_ptr(), data, copy.nbytes());
  return copy;
}

}  // namespace opsrun_torch
