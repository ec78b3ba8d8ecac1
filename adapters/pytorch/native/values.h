// adapters/pytorch/native/values.h: PyTorch's data types, tensors and exceptions, and those of opsrun.
//
// Of PyTorch, this adapter uses only the stable C functions, as they are in version 2.10: the same binary serves later
// versions.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/csrc/stable/c/shim.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/common/engine.h"
#include "adapters/common/values.h"
#include "opsrun/embed_host.h"
#include "place.h"

struct _object;  // PyObject

// As PyTorch declares it: when such an exception leaves an operator, PyTorch raises the Python exception of this type.
// There is no function for that. Where PyTorch does not recognize the class, it raises RuntimeError.
namespace torch {
struct __attribute__((visibility("default"))) PyTorchError : std::exception {
  virtual _object* python_type() = 0;
};
}  // namespace torch

namespace opsrun_torch {

using opsrun_adapter::CodeName;
using opsrun_adapter::Str;
using opsrun_adapter::Text;

// In Python: ValueError for INVALID_ARGUMENT, IndexError for OUT_OF_RANGE, NotImplementedError for UNIMPLEMENTED,
// MemoryError for RESOURCE_EXHAUSTED, otherwise RuntimeError.
class Error : public torch::PyTorchError {
 public:
  Error(int32_t code, std::string text) : code_(code), text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }
  _object* python_type() override;
  int32_t code() const { return code_; }

 private:
  const int32_t code_;
  const std::string text_;
};
[[noreturn]] void Raise(int32_t code, const std::string& text);

// Raises if a function of PyTorch reports an error.
inline void Must(AOTITorchError code) {
  if (code != 0) [[unlikely]]
    Raise(OPSRUN_INTERNAL, "PyTorch refuses a tensor");
}
template <typename T, typename Fn, typename... Args>
T Get(Fn fn, Args... args) {
  T result{};
  Must(fn(args..., &result));
  return result;
}

struct TypeNumbers {
  int32_t (*torch)();  // its number in PyTorch
  const char* name;    // torch.float32
  int32_t opsrun;      // OPSRUN_DT_*
  opsrun_dldtype dl;

  size_t bytes() const { return dl.bits / 8; }  // per element
};

const std::vector<TypeNumbers>& AllTypes();
// Null for a type that opsrun does not have, such as torch.complex32 and quantized types with a scale.
const TypeNumbers* FindTorchType(int32_t number);
// Null for a type that PyTorch does not have, such as strings.
const TypeNumbers* FindType(int32_t dtype);
// Of any type of PyTorch.
std::string TypeName(int32_t number);

// PyTorch's numbers of devices and of the layout of dense tensors.
extern const int32_t kCpu, kCuda, kStrided;

using Tensor = std::unique_ptr<AtenTensorOpaque, opsrun_adapter::Free<aoti_torch_delete_tensor_object>>;

inline Tensor Share(const Tensor& tensor) {
  return Tensor(Get<AtenTensorHandle>(aoti_torch_new_tensor_handle, tensor.get()));
}
inline int32_t TypeOf(AtenTensorHandle tensor) {
  return Get<int32_t>(aoti_torch_get_dtype, tensor);
}
inline int32_t RankOf(AtenTensorHandle tensor) {
  return static_cast<int32_t>(Get<int64_t>(aoti_torch_get_dim, tensor));
}
inline const int64_t* SizesOf(AtenTensorHandle tensor) {
  return Get<int64_t*>(aoti_torch_get_sizes, tensor);
}
inline const void* DataOf(AtenTensorHandle tensor) {
  return Get<const void*>(torch_get_const_data_ptr, tensor);
}
size_t BytesOf(const TypeNumbers& type, int32_t rank, const int64_t* sizes);

// True if a kernel can read it in place: dense, row-major and aligned. Requires: a strided tensor with its elements at
// data.
bool IsPlain(const TypeNumbers& type, AtenTensorHandle tensor, const void* data);
Tensor PlainCopyOf(const TypeNumbers& type, AtenTensorHandle tensor, const Place& place = {});

// The contents are undefined. Raises if there is not enough memory, and on a card if the place's stream is not the
// current one, in whose order PyTorch reuses memory.
Tensor NewTensor(const TypeNumbers& type, int32_t rank, const int64_t* sizes, const Place& place = {});
// A copy of the elements, which are at `from`. On a card, in the order of both streams.
Tensor CopyOf(const opsrun_tensor& view, const Place& from, const TypeNumbers& type, const Place& place);

// A view of a dense tensor. Its address is the tensor's handle, so it must not move.
class View : public opsrun_adapter::StreamView {
 public:
  // Views an output before its allocation, or a tensor that is set later.
  View(const opsrun_host* its_host, const TypeNumbers& type) {
    opsrun_adapter::Expect(*this, its_host, type.opsrun, type.dl);
  }
  View(const View&) = delete;

  // Says that the tensor is, or will be, there. It is in CPU memory otherwise.
  void MoveTo(const Place& place) {
    if (!place.is_on_card()) return;
    opsrun_adapter::MoveToCard(*this, place.card);
    stream = place.stream;
  }

 protected:
  // The tensor, of this rank, must outlive the view.
  void ShowTensor(AtenTensorHandle tensor, int32_t its_rank, void* its_data) {
    if (its_rank > kFew) more_ = std::make_unique<int64_t[]>(static_cast<size_t>(its_rank));
    opsrun_adapter::Show(*this, its_data, its_rank, const_cast<int64_t*>(SizesOf(tensor)),
                         its_rank > kFew ? more_.get() : few_);
  }

 private:
  // Strides: PyTorch's may differ where a size is 1.
  static constexpr int32_t kFew = 5;
  int64_t few_[kFew];
  std::unique_ptr<int64_t[]> more_;
};

// A tensor that the caller owns.
class Input : public View {
 public:
  // Requires: a plain tensor of this rank with its elements there.
  Input(const opsrun_host* its_host, const TypeNumbers& type, AtenTensorHandle tensor, int32_t its_rank,
        const void* its_data)
      : View(its_host, type) {
    ShowTensor(tensor, its_rank, const_cast<void*>(its_data));
  }
};

class Owner : public View {
 public:
  using View::View;
  Owner(const opsrun_host* its_host, const TypeNumbers& type, int32_t its_rank, Tensor tensor, const Place& place)
      : View(its_host, type) {
    MoveTo(place);
    Show(its_rank, std::move(tensor));
  }
  void Show(int32_t its_rank, Tensor tensor) {
    tensor_ = std::move(tensor);
    ShowTensor(tensor_.get(), its_rank, Get<void*>(torch_get_mutable_data_ptr, tensor_.get()));
  }
  const Tensor& tensor() const { return tensor_; }
  Tensor Take() { return std::move(tensor_); }

 private:
  Tensor tensor_;
};

}  // namespace opsrun_torch
