// adapters/pytorch/native/place.h: where a tensor is, and which CUDA stream is PyTorch's current one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "adapters/common/card.h"

namespace opsrun_torch {

// CPU memory, or the memory of a card, where the work of a stream uses the tensor.
struct Place {
  int32_t card = -1;
  void* stream = nullptr;

  bool is_on_card() const { return card >= 0; }
  bool operator==(const Place&) const = default;
};

// Of a view whose host is this adapter.
inline Place PlaceOf(const opsrun_tensor& view) {
  if ((view.flags & OPSRUN_TENSOR_HOST) != 0) return {};
  return {view.device.id, static_cast<const opsrun_adapter::StreamView&>(view).stream};
}

// This thread's current stream on a card. Raises if PyTorch has none.
void* CurrentStream(int32_t card);
// The address of aoti_torch_get_current_cuda_stream, which a PyTorch for the CPU does not have.
void SetStreamFunction(void* function);

}  // namespace opsrun_torch
