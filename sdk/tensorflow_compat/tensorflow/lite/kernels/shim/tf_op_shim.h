// tensorflow/lite/kernels/shim/tf_op_shim.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/lite/kernels/shim/tf_op_shim.h: the shim of TensorFlow Lite is another interface for ops; register the kernel with REGISTER_KERNEL_BUILDER"
