// tests/sdk/must_not_compile/device_on_light_map.cc: an Eigen expression without Eigen; the error names the include.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op_kernel.h"

void Double(opsrun::Tensor* tensor, int device) {
  tensor->flat<float>().device(device) = tensor->flat<float>();
}
