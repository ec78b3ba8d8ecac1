// adapters/pytorch/native/plain.h: whether a call needs the kernel only: no gradient, no trace, no transformation.
//
// PyTorch's stable ABI has no function that answers this. So Python finds out, when the module is imported, where
// PyTorch stores it (opsrun/torch/_plain.py), by comparing tensors whose properties it knows. Until then, and if a
// version of PyTorch stores it otherwise, no call is plain: then all go through Python, which is slower.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/csrc/stable/c/shim.h>

#include <cstdint>
#include <vector>

namespace opsrun_torch {

// Where things are, in words of 8 bytes unless noted.
struct Places {
  uint64_t keys;         // in a tensor: its dispatch keys
  uint64_t state;        // in a tensor: a pointer to its state for gradients, or null
  uint64_t tangent;      // in that state: a pointer, null without a tangent
  uint64_t creator;      // in that state: a pointer, null for a tensor that was not computed from such that require one
  uint64_t flag;         // in that state, in bytes: 0 unless a gradient was asked for
  uint64_t state_class;  // the first word of that state, unless the tensor is a view
  uint64_t cpu_keys;     // of dense tensors in CPU memory without further properties
};

class PlainCheck {
 public:
  PlainCheck() : thread_(places_ == nullptr ? nullptr : ThreadKeys()) {}

  // False in a mode of PyTorch that sees all calls, such as a trace, and if it is not known where things are.
  bool thread_is_plain() const { return thread_ != nullptr && thread_[0] == 0 && thread_[1] == 0; }
  // Requires: thread_is_plain. True for a dense tensor in CPU memory whose results here need neither gradients nor
  // tangents.
  bool IsPlain(AtenTensorHandle tensor) const {
    const uint64_t* const words = WordsOf(tensor);
    if (words[places_->keys] != places_->cpu_keys) return false;
    const auto* const state = reinterpret_cast<const uint64_t*>(words[places_->state]);
    if (state == nullptr) return true;
    if (state[0] != places_->state_class || state[places_->tangent] != 0) return false;
    return !aoti_torch_grad_mode_is_enabled() ||
           (state[places_->creator] == 0 && reinterpret_cast<const char*>(state)[places_->flag] == 0);
  }

  static void Learn(const Places& places);
  // A handle is the address of a pointer to the tensor.
  static const uint64_t* WordsOf(AtenTensorHandle tensor) { return *reinterpret_cast<const uint64_t* const*>(tensor); }
  // The dispatch keys that this thread adds to a call and removes from it, as differences from the initial ones. Null
  // if PyTorch does not have them.
  static const uint64_t* ThreadKeys();

 private:
  static const Places* places_;
  const uint64_t* const thread_;
};

// The first words of an object on the heap.
std::vector<uint64_t> WordsAt(const void* object);

}  // namespace opsrun_torch
