// tests/abi/dlpack_test.cc: the first 48 bytes of a tensor view are a DLTensor of DLPack.
//
// A compile-time test.
// SPDX-License-Identifier: Apache-2.0
#include "tests/abi/dlpack.h"

#include <cstddef>

#include "opsrun/c_api.h"

namespace {

static_assert(sizeof(DLTensor) == 48 && offsetof(opsrun_tensor, host) == 48, "what is ours begins after the DLTensor");

#define SAME(ours, theirs)                                                                           \
  static_assert(offsetof(opsrun_tensor, ours) == offsetof(DLTensor, theirs) &&                       \
                    sizeof(((const opsrun_tensor*)0)->ours) == sizeof(((const DLTensor*)0)->theirs), \
                "opsrun_tensor." #ours " is no longer DLTensor." #theirs)
SAME(data, data);
SAME(device, device);
SAME(rank, ndim);
SAME(dl, dtype);
SAME(shape, shape);
SAME(strides, strides);
SAME(byte_offset, byte_offset);

static_assert(offsetof(opsrun_device, id) == offsetof(DLDevice, device_id), "a device is a type and an id");
static_assert(offsetof(opsrun_dldtype, bits) == offsetof(DLDataType, bits) &&
                  offsetof(opsrun_dldtype, lanes) == offsetof(DLDataType, lanes),
              "a data type is a code, bits and lanes");
static_assert(OPSRUN_DEVICE_CPU == 1 && OPSRUN_DEVICE_CUDA == 2, "kDLCPU and kDLCUDA");

}  // namespace
