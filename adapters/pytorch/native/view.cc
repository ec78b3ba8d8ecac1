// adapters/pytorch/native/view.cc
// SPDX-License-Identifier: Apache-2.0
#include "view.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include <cstring>
#include <utility>

namespace opsrun_torch {

void View::ShowAt(void* its_data, c10::IntArrayRef sizes) {
  data = its_data;
  if (reinterpret_cast<uintptr_t>(data) % 64 == 0) flags |= OPSRUN_TENSOR_ALIGNED64;
  rank = static_cast<int32_t>(sizes.size());
  if (rank == 0) return;
  strides_.resize_for_overwrite(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides_[i] = stride;
    stride *= sizes[i];
  }
  shape = const_cast<int64_t*>(sizes.data());
  strides = strides_.data();
}

const opsrun_tensor* Temporary::Make(const opsrun_host* host, const TypeNumbers& type, at::Tensor tensor) {
  auto* const made = new Temporary(host, type);
  made->Show(std::move(tensor));
  made->flags |= kTemporary;
  return made;
}

Temporary* Temporary::Of(const opsrun_tensor* t) {
  return (t->flags & kTemporary) == 0 ? nullptr : static_cast<Temporary*>(const_cast<opsrun_tensor*>(t));
}

// clone() resolves conjugates and negatives.
at::Tensor PlainCopyOf(const at::Tensor& tensor) {
  const at::AutoDispatchBelowADInplaceOrView guard;
  return tensor.clone(at::MemoryFormat::Contiguous).resolve_conj().resolve_neg();
}

at::Tensor NewTensor(const TypeNumbers& type, c10::IntArrayRef sizes) {
  return at::Tensor(at::detail::empty_cpu(sizes, type.torch));
}

at::Tensor CopyOf(const opsrun_tensor& view, const TypeNumbers& type) {
  at::Tensor copy = NewTensor(type, {view.shape, static_cast<size_t>(view.rank)});
  if (copy.nbytes() > 0) std::memcpy(copy.data_ptr(), view.data, copy.nbytes());
  return copy;
}

}  // namespace opsrun_torch
