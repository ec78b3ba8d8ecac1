// tensorflow/core/util/tensor_slice_reader.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/util/tensor_slice_reader.h: read files with tensorflow/core/platform/env.h or the standard library"
