// tensorflow/compiler/xla/stream_executor/cuda/cuda_activation.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/compiler/xla/stream_executor/cuda/cuda_activation.h: for the CUDA stream of a kernel write context->gpu_stream()"
