// opsrun/internal/temporary.h: allocates a tensor that the kernel owns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/allocator_attributes.h"
#include "opsrun/c_api.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

inline Status AllocateTemporary(const opsrun_host* host, void* where, DataType type, const TensorShape& shape,
                                AllocatorAttributes attributes, Tensor* tensor) {
  if (HasSlots(type)) {
    *tensor = Tensor::Adopt(new SlotTensor(type, shape.dims(), shape.data()));
    return Status();
  }
  const opsrun_tensor* view = nullptr;
  const uint32_t flags = attributes.on_host() ? OPSRUN_TEMP_ON_HOST : 0u;
  const int32_t code = host->allocate_temp(where, type, shape.dims(), shape.data(), flags, &view);
  if (code != OPSRUN_OK) {
    return Error(static_cast<error::Code>(code), "The host cannot allocate a temporary of shape %s and type %s",
                 shape.DebugString().c_str(), DataTypeName(type).c_str());
  }
  *tensor = Tensor::Adopt(view);
  return Status();
}

// Keeps the tensor in a PersistentTensor.
template <typename Context, typename Persistent>
ReturnedStatus AllocatePersistent(Context* context, DataType type, const TensorShape& shape, Persistent* persistent,
                                  Tensor** tensor) {
  Tensor made;
  TF_RETURN_IF_ERROR(context->allocate_temp(type, shape, &made));
  *persistent = Persistent(made);
  if (tensor != nullptr) *tensor = persistent->AccessTensor(context);
  return Status();
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
