// tensorflow/core/util/gpu_solvers.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/util/gpu_solvers.h: for the CUDA stream of a kernel write context->gpu_stream()"
