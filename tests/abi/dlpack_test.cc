// tests/abi/dlpack_test.cc: the first 48 bytes of a tensor view are a DLTensor of DLPack.
//
// A compile-time test. The struct below is written from DLPack's specification.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "opsrun/c_api.h"

namespace {

struct DlDevice {
  int32_t device_type, device_id;
};

struct DlDataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct DlTensor {
  void* data;
  DlDevice device;
  int32_t ndim;
  DlDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};

static_assert(sizeof(DlTensor) == 48 && offsetof(opsrun_tensor, host) == 48, "what is ours begins after the DLTensor");

#define SAME(ours, theirs)                                                                           \
  static_assert(offsetof(opsrun_tensor, ours) == offsetof(DlTensor, theirs) &&                       \
                    sizeof(((const opsrun_tensor*)0)->ours) == sizeof(((const DlTensor*)0)->theirs), \
                "opsrun_tensor." #ours " is no longer DLTensor." #theirs)
SAME(data, data);
SAME(device, device);
SAME(rank, ndim);
SAME(dl, dtype);
SAME(shape, shape);
SAME(strides, strides);
SAME(byte_offset, byte_offset);

static_assert(offsetof(opsrun_device, id) == offsetof(DlDevice, device_id), "a device is a type and an id");
static_assert(offsetof(opsrun_dldtype, bits) == offsetof(DlDataType, bits) &&
                  offsetof(opsrun_dldtype, lanes) == offsetof(DlDataType, lanes),
              "a data type is a code, bits and lanes");
static_assert(OPSRUN_DEVICE_CPU == 1 && OPSRUN_DEVICE_CUDA == 2, "kDLCPU and kDLCUDA");

}  // namespace
