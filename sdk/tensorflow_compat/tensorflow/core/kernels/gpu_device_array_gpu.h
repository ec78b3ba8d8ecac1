// tensorflow/core/kernels/gpu_device_array_gpu.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/kernels/gpu_device_array_gpu.h: this is TensorFlow's own code for its kernels; copy what the source needs of it into the plugin"
