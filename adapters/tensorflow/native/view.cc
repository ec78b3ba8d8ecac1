// adapters/tensorflow/native/view.cc
// SPDX-License-Identifier: Apache-2.0
#include "view.h"

#include <cstring>

#include "resources.h"

namespace opsrun_tf {

using tensorflow::Tensor;
using tensorflow::tstring;

namespace {

opsrun_str StringOf(const tstring& text) {
  return {text.data(), text.size()};
}

}  // namespace

void View::Show(const Tensor& tensor, bool fresh) {
  tensor_ = &tensor;
  const int32_t n = tensor.dims();
  if (n > kFew) many_.reset(new int64_t[2 * static_cast<size_t>(n)]);
  int64_t* const sizes = n > kFew ? many_.get() : few_;
  for (int32_t i = 0; i < n; ++i) sizes[i] = tensor.dim_size(i);
  void* const memory = dtype == OPSRUN_DT_STRING     ? MakeSlots(fresh, StringOf)
                       : dtype == OPSRUN_DT_RESOURCE ? MakeSlots(fresh, ResourceIn)
                                                     : tensor.data();
  opsrun_adapter::Show(*this, memory, n, sizes, sizes + n);
}

template <typename Slot, typename Element>
void* View::MakeSlots(bool fresh, Slot (*slot_of)(const Element& element)) {
  const auto elements = tensor_->unaligned_flat<Element>();
  slots_.reset(new char[sizeof(Slot) * static_cast<size_t>(elements.size())]());
  auto* const slots = reinterpret_cast<Slot*>(slots_.get());
  for (int64_t i = 0; i < elements.size() && !fresh; ++i) slots[i] = slot_of(elements(i));
  return slots;
}

void View::AssignString(uint64_t i, const char* p, uint64_t n) {
  tstring& text = const_cast<Tensor*>(tensor_)->unaligned_flat<tstring>()(static_cast<int64_t>(i));
  text.assign(p, n);
  strings()[i] = StringOf(text);
}

// Short strings are stored in the elements themselves.
void View::SwapStrings(uint64_t i, uint64_t j) {
  auto texts = const_cast<Tensor*>(tensor_)->unaligned_flat<tstring>();
  tstring& a = texts(static_cast<int64_t>(i));
  tstring& b = texts(static_cast<int64_t>(j));
  std::swap(a, b);
  strings()[i] = StringOf(a);
  strings()[j] = StringOf(b);
}

void View::KeepResources() {
  auto handles = const_cast<Tensor*>(tensor_)->unaligned_flat<tensorflow::ResourceHandle>();
  for (int64_t i = 0; i < handles.size(); ++i) {
    if (resources()[i] != nullptr) handles(i) = HandleOf(resources()[i]);
  }
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
