// adapters/pytorch/native/values.h: PyTorch's data types, tensors, arguments and exceptions, and those of opsrun.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/ScalarType.h>
#include <c10/util/SmallVector.h>

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/common/engine.h"
#include "adapters/common/values.h"
#include "opsrun/embed_host.h"

namespace opsrun_torch {

using opsrun_adapter::CodeName;
using opsrun_adapter::Str;
using opsrun_adapter::Text;

// In Python: ValueError for INVALID_ARGUMENT, IndexError for OUT_OF_RANGE, NotImplementedError for UNIMPLEMENTED,
// MemoryError for RESOURCE_EXHAUSTED, otherwise RuntimeError.
[[noreturn]] void Raise(int32_t code, const std::string& text);

struct TypeNumbers {
  c10::ScalarType torch;
  int32_t opsrun;  // OPSRUN_DT_*
  opsrun_dldtype dl;
};

// Null for a type that opsrun does not have, such as torch.complex32 and quantized types with a scale.
const TypeNumbers* FindType(c10::ScalarType type);
// Null for a type that PyTorch does not have, such as strings.
const TypeNumbers* FindType(int32_t dtype);

// A view of a dense tensor in CPU memory. Its address is the tensor's handle, so it must not move.
class View : public opsrun_tensor {
 public:
  // Views an output before its allocation, or a tensor that is set later.
  View(const opsrun_host* its_host, const TypeNumbers& type) {
    opsrun_adapter::Expect(*this, its_host, type.opsrun, type.dl);
  }
  View(const View&) = delete;

 protected:
  // sizes: must outlive the view.
  void ShowAt(void* its_data, c10::IntArrayRef sizes) {
    strides_.resize_for_overwrite(sizes.size());
    opsrun_adapter::Show(*this, its_data, static_cast<int32_t>(sizes.size()), const_cast<int64_t*>(sizes.data()),
                         strides_.data());
  }

 private:
  c10::SmallVector<int64_t, 5> strides_;  // PyTorch's strides may differ where a size is 1
};

// A tensor that the caller owns.
class Input : public View {
 public:
  // Requires: dense, row-major, aligned, at most OPSRUN_MAX_RANK dimensions.
  Input(const opsrun_host* its_host, const TypeNumbers& type, const at::Tensor& tensor) : View(its_host, type) {
    ShowAt(const_cast<void*>(tensor.const_data_ptr()), tensor.sizes());
  }
};

class Owner : public View {
 public:
  using View::View;
  Owner(const opsrun_host* its_host, const TypeNumbers& type, at::Tensor tensor) : View(its_host, type) {
    Show(std::move(tensor));
  }
  void Show(at::Tensor tensor) {
    tensor_ = std::move(tensor);
    ShowAt(tensor_.data_ptr(), tensor_.sizes());
  }
  const at::Tensor& tensor() const { return tensor_; }
  at::Tensor Take() { return std::move(tensor_); }

 private:
  at::Tensor tensor_;
};

// True if a kernel can read it in place: dense, row-major and aligned. Requires: a strided tensor in CPU memory.
inline bool IsPlain(const at::Tensor& tensor) {
  const size_t alignment = tensor.is_complex() ? tensor.element_size() / 2 : tensor.element_size();
  return tensor.is_contiguous() && !tensor.is_conj() && !tensor.is_neg() &&
         reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) % alignment == 0;
}
at::Tensor PlainCopyOf(const at::Tensor& tensor);

// Throws as PyTorch's allocator does; the contents are undefined.
at::Tensor NewTensor(const TypeNumbers& type, c10::IntArrayRef sizes);
// A copy of the elements at data.
at::Tensor CopyOf(const void* data, const TypeNumbers& type, c10::IntArrayRef sizes);
inline at::Tensor CopyOf(const opsrun_tensor& view, const TypeNumbers& type) {
  return CopyOf(view.data, type, {view.shape, static_cast<size_t>(view.rank)});
}

// An attr that calls may set. type: as in the op's spec, such as "list(type)".
struct AttrSpec {
  std::string name;
  std::string type;
};

// The attrs of a call. Arguments that are None are left out; opsrun then infers them or uses the default.
class AttrValues : public opsrun_adapter::AttrList {
 public:
  AttrValues(const std::vector<AttrSpec>& specs, c10::ArrayRef<c10::IValue> values);

 private:
  void Add(uint32_t kind, const c10::IValue& value);
  void AddTensor(const at::Tensor& tensor);

  std::deque<Input> tensors_;
};

// The reverse conversion, for an argument of this type. None for a value that no argument can express; the op then
// determines it itself. Raises for tensors of types that PyTorch does not have.
c10::IValue ValueOf(const opsrun_attr& attr, const c10::TypePtr& type);

// True if two calls set an attr to the same value, bit for bit. Requires: tensors satisfy IsReadable.
bool SameValue(const c10::IValue& a, const c10::IValue& b);

// False for tensors without accessible elements: in a trace, or on the device meta.
bool IsReadable(const at::Tensor& tensor);

// Calls fn for each tensor in some values, lists flattened, until it returns true. True if it did.
template <typename Fn>
bool AnyTensor(c10::ArrayRef<c10::IValue> values, Fn fn) {
  for (const c10::IValue& value : values) {
    if (value.isTensor()) {
      if (fn(value.toTensor())) return true;
    } else if (value.isTensorList()) {
      for (const c10::IValue& each : value.toListRef()) {
        if (fn(each.toTensor())) return true;
      }
    }
  }
  return false;
}

template <typename Fn>
void ForEachTensor(c10::ArrayRef<c10::IValue> values, Fn fn) {
  AnyTensor(values, [&](const at::Tensor& tensor) { return fn(tensor), false; });
}
inline std::vector<at::Tensor> TensorsOf(c10::ArrayRef<c10::IValue> values) {
  std::vector<at::Tensor> tensors;
  ForEachTensor(values, [&](const at::Tensor& tensor) { tensors.push_back(tensor); });
  return tensors;
}

// The value with copies of its tensors, since their owners may change them.
c10::IValue Keep(const c10::IValue& value);

}  // namespace opsrun_torch
