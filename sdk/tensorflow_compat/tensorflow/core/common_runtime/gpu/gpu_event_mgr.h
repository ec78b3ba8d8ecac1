// tensorflow/core/common_runtime/gpu/gpu_event_mgr.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/common_runtime/gpu/gpu_event_mgr.h: for the CUDA stream of a kernel write context->gpu_stream()"
