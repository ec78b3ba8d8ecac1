// tensorflow/compiler/xla/stream_executor/stream.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/compiler/xla/stream_executor/stream.h: for the CUDA stream of a kernel write context->gpu_stream()"
