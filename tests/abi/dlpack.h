// tests/abi/dlpack.h: the structs of DLPack's header, from its specification. For C and C++.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#define DLPACK_MAJOR_VERSION 1
enum { kDLCPU = 1, kDLFloat = 2 };
typedef struct {
  int32_t device_type, device_id;
} DLDevice;
typedef struct {
  uint8_t code, bits;
  uint16_t lanes;
} DLDataType;
typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;
