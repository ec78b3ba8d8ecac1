// host/testing/array_tensor.h: arrays of tests as tensors of the host, and back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/status.h"
#include "host/tensor/tensor.h"
#include "opsrun/testing/array.h"

namespace opsrun::host {

// INVALID_ARGUMENT, with both numbers, if the elements do not fit the shape, and for what no tensor can be.
Result<Tensor> ToTensor(const test::Array& array);

test::Array ToArray(const Tensor& tensor);

}  // namespace opsrun::host
