// adapters/tensorflow/native/view.h: TensorFlow tensors as a kernel sees them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "adapters/common/view.h"
#include "opsrun/embed.h"
#include "tensorflow/core/framework/tensor.h"
#include "types.h"

namespace opsrun_tf {

// A view of a tensor that the caller owns. Its address is the tensor's handle, so it must not move. Elements are not
// copied; those of string and resource tensors get slots, of 16 and 8 bytes.
class View : public opsrun_tensor {
 public:
  View() {}  // opsrun_adapter::Expect sets all fields
  View(const View&) = delete;

  // Requires: the expected type, and at most OPSRUN_MAX_RANK dimensions. fresh: the elements have never been set.
  void Show(const tensorflow::Tensor& tensor, bool fresh);
  const tensorflow::Tensor& tensor() const { return *tensor_; }

  // Slots of the host's table for string tensors.
  void AssignString(uint64_t i, const char* p, uint64_t n);
  void SwapStrings(uint64_t i, uint64_t j);

  // Moves what the plugin stored in the slots of a fresh resource tensor into the tensor, which then owns it.
  void KeepResources();

 private:
  static constexpr int32_t kFew = 6;

  template <typename Slot, typename Element>
  void* MakeSlots(bool fresh, Slot (*slot_of)(const Element& element));
  opsrun_str* strings() { return static_cast<opsrun_str*>(data); }
  const opsrun_resource** resources() { return static_cast<const opsrun_resource**>(data); }

  const tensorflow::Tensor* tensor_ = nullptr;
  int64_t few_[2 * kFew];  // sizes, then strides
  std::unique_ptr<int64_t[]> many_;
  std::unique_ptr<char[]> slots_;
};

// A view that owns its tensor.
class Owner : public View {
 public:
  Owner(const opsrun_host* its_host, int32_t its_dtype, opsrun_dldtype its_dl, tensorflow::Tensor tensor, bool fresh)
      : kept_(std::move(tensor)) {
    opsrun_adapter::Expect(*this, its_host, its_dtype, its_dl);
    Show(kept_, fresh);
  }

 private:
  const tensorflow::Tensor kept_;
};

// Copies a tensor of another host. Returns a code; on failure, the reason.
int32_t CopyOf(const opsrun_tensor& other, tensorflow::Tensor* copy);

}  // namespace opsrun_tf
