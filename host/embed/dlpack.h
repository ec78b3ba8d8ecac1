// host/embed/dlpack.h: DLPack's structs, written from its specification (version 1.1). Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "opsrun/c_api.h"

struct opsrun_dltensor {
  void* data;
  opsrun_device device;
  int32_t ndim;
  opsrun_dldtype dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: dense and row-major
  uint64_t byte_offset;
};
static_assert(sizeof(opsrun_dltensor) == 48, "a DLTensor has 48 bytes");

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  uint64_t flags;
  opsrun_dltensor dl_tensor;
};
static_assert(offsetof(DLManagedTensorVersioned, dl_tensor) == 32, "the DLTensor follows the flags");
