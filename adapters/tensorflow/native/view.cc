// adapters/tensorflow/native/view.cc
// SPDX-License-Identifier: Apache-2.0
#include "view.h"

#include <cstring>

#include "resources.h"

namespace opsrun_tf {

using tensorflow::Tensor;
using tensorflow::tstring;

void View::Expect(const opsrun_host* its_host, int32_t its_dtype, opsrun_dldtype its_dl) {
  data = nullptr;
  device = {OPSRUN_DEVICE_CPU, 0};
  rank = -1;
  dl = its_dl;
  shape = nullptr;
  strides = nullptr;
  byte_offset = 0;
  host = its_host;
  flags = OPSRUN_TENSOR_HOST;
  dtype = its_dtype;
}

void View::Show(const Tensor& tensor, bool fresh) {
  tensor_ = &tensor;
  ShowSizes(tensor.shape());
  if (dtype == OPSRUN_DT_STRING) return ShowStrings(fresh);
  if (dtype == OPSRUN_DT_RESOURCE) return ShowResources(fresh);
  data = tensor.data();
  if (reinterpret_cast<uintptr_t>(data) % 64 == 0) flags |= OPSRUN_TENSOR_ALIGNED64;
}

void View::ShowSizes(const tensorflow::TensorShape& sizes) {
  rank = sizes.dims();
  if (rank == 0) return;
  if (rank > kFew) many_.reset(new int64_t[2 * static_cast<size_t>(rank)]);
  shape = rank > kFew ? many_.get() : few_;
  strides = shape + rank;
  int64_t stride = 1;
  for (int32_t i = rank; i-- > 0;) {
    shape[i] = sizes.dim_size(i);
    strides[i] = stride;
    stride *= shape[i];
  }
}

void View::ShowStrings(bool fresh) {
  const auto texts = tensor_->unaligned_flat<tstring>();
  slots_.reset(new char[sizeof(opsrun_str) * static_cast<size_t>(texts.size())]());
  data = slots_.get();
  if (fresh) return;
  for (int64_t i = 0; i < texts.size(); ++i) strings()[i] = {texts(i).data(), texts(i).size()};
}

void View::AssignString(uint64_t i, const char* p, uint64_t n) {
  tstring& text = const_cast<Tensor*>(tensor_)->unaligned_flat<tstring>()(static_cast<int64_t>(i));
  text.assign(p, n);
  strings()[i] = {text.data(), text.size()};
}

// The bytes of short strings are in the elements themselves.
void View::SwapStrings(uint64_t i, uint64_t j) {
  auto texts = const_cast<Tensor*>(tensor_)->unaligned_flat<tstring>();
  tstring& a = texts(static_cast<int64_t>(i));
  tstring& b = texts(static_cast<int64_t>(j));
  std::swap(a, b);
  strings()[i] = {a.data(), a.size()};
  strings()[j] = {b.data(), b.size()};
}

void View::ShowResources(bool fresh) {
  const auto handles = tensor_->unaligned_flat<tensorflow::ResourceHandle>();
  slots_.reset(new char[sizeof(void*) * static_cast<size_t>(handles.size())]());
  data = slots_.get();
  if (fresh) return;
  for (int64_t i = 0; i < handles.size(); ++i) resources()[i] = ResourceIn(handles(i));
}

void View::KeepResources() {
  auto handles = const_cast<Tensor*>(tensor_)->unaligned_flat<tensorflow::ResourceHandle>();
  for (int64_t i = 0; i < handles.size(); ++i) {
    if (resources()[i] != nullptr) handles(i) = HandleOf(resources()[i]);
  }
}

const opsrun_tensor* Temporary::Make(const opsrun_host* host, int32_t dtype, opsrun_dldtype dl, Tensor tensor,
                                     bool fresh) {
  auto* const made = new Temporary(std::move(tensor));
  made->Expect(host, dtype, dl);
  made->Show(made->kept_, fresh);
  made->flags |= kTemporary;
  return made;
}

Temporary* Temporary::Of(const opsrun_tensor* t) {
  return (t->flags & kTemporary) == 0 ? nullptr : static_cast<Temporary*>(const_cast<opsrun_tensor*>(t));
}

int32_t CopyOf(const opsrun_tensor& other, Tensor* copy) {
  if (FindType(other.dtype) == nullptr) return OPSRUN_UNIMPLEMENTED;
  tensorflow::TensorShape sizes;
  const absl::Span<const int64_t> dims(other.shape, static_cast<size_t>(other.rank));
  if (!tensorflow::TensorShape::BuildTensorShape(dims, &sizes).ok()) return OPSRUN_INVALID_ARGUMENT;
  *copy = Tensor(static_cast<tensorflow::DataType>(other.dtype), sizes);
  if (!copy->IsInitialized()) return OPSRUN_RESOURCE_EXHAUSTED;
  const int64_t n = copy->NumElements();
  if (other.dtype == OPSRUN_DT_STRING) {
    const auto* const texts = static_cast<const opsrun_str*>(other.data);
    for (int64_t i = 0; i < n; ++i) copy->flat<tstring>()(i).assign(texts[i].data, texts[i].size);
  } else if (other.dtype == OPSRUN_DT_RESOURCE) {
    auto* const* const objects = static_cast<const opsrun_resource* const*>(other.data);
    for (int64_t i = 0; i < n; ++i) {
      if (objects[i] == nullptr) continue;
      objects[i]->host->resource_retain(objects[i]);
      copy->flat<tensorflow::ResourceHandle>()(i) = HandleOf(objects[i]);
    }
  } else if (copy->TotalBytes() > 0) {
    std::memcpy(copy->data(), other.data, copy->TotalBytes());
  }
  return OPSRUN_OK;
}

}  // namespace opsrun_tf
