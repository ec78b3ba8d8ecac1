// tensorflow/core/kernels/gather_functor_gpu.cu.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/kernels/gather_functor_gpu.cu.h: this is TensorFlow's own code for its kernels; copy what the source needs of it into the plugin"
