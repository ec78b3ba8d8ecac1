// tests/sdk/must_not_compile/device_without_eigen.cc: an Eigen device without Eigen; the error names the include.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op_kernel.h"

void Use(opsrun::OpKernelContext* context) {
  context->eigen_device<Eigen::ThreadPoolDevice>();
}
